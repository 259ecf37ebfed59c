"""Every ratio on this machine: `python bench/every.py [--small] [--only NAME]`, which is what `make bench` runs.

The scripts of bench/expected.toml run one after another. What each prints is written to OUT/NAME.md as it comes, all
of it to OUT/bench.md, and the ratios to OUT/bench.png. The exit status is 1 when a script failed, or when a ratio is
below half of its documented value.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
from ratios import read_ratios, regressions

HERE = Path(__file__).resolve().parent


def run(name: str, options: list[str], file: Path) -> tuple[str, int]:
    """What the script printed, also written to `file` and shown, and its exit status."""
    lines = []
    command = [sys.executable, str(HERE / f"{name}.py"), *options]
    with file.open("w", encoding="utf-8") as copy:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in process.stdout or ():
            print(line, end="", flush=True)
            copy.write(line)
            copy.flush()
            lines.append(line)
    return "".join(lines), process.wait()


def picture(ratios: dict[str, dict[str, float]], file: Path) -> None:
    """A bar a row: how many times as fast as the peer, on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    bars = [(f"{name}: {row}", ratio, row) for name, rows in ratios.items() for row, ratio in rows.items()]
    figure, axis = pyplot.subplots(figsize=(7, 0.8 + 0.3 * len(bars)), layout="constrained")
    colours = ["0.75" if row.startswith(("peer", "limit")) else "#1f4e9c" for _, _, row in bars]
    drawn = axis.barh([label for label, _, _ in bars], [ratio for _, ratio, _ in bars], color=colours)
    axis.bar_label(drawn, [f"{ratio:.3g}" for _, ratio, _ in bars], padding=3, fontsize=8)
    axis.set(xscale="log", xlabel="times as fast as the peer, in the same run")
    axis.axvline(1, color="0.4", linewidth=0.8)
    axis.invert_yaxis()
    axis.margins(x=0.12)
    figure.savefig(file, dpi=110)


@click.command(help=__doc__)
@click.option("--small", is_flag=True, help="In a short form, those that have one.")
@click.option("--only", multiple=True, help="These scripts only.")
@click.option("--out", default=Path("artifacts/bench"), type=click.Path(path_type=Path), show_default=True)
def main(small: bool, only: tuple[str, ...], out: Path) -> None:
    scripts: dict[str, dict[str, Any]] = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))
    if unknown := [name for name in only if name not in scripts]:
        raise click.UsageError(f"no script {unknown[0]}: one of {', '.join(scripts)}")
    if small and (long := [name for name in only if "small" not in scripts[name]]):
        raise click.UsageError(f"{long[0]} has no short form: leave --small out")
    out.mkdir(parents=True, exist_ok=True)
    texts, ratios, wrong = [], {}, []
    for name in only or [name for name in scripts if not small or "small" in scripts[name]]:
        print(f"\n== {name}", flush=True)
        options = [*scripts[name].get("small", [])] if small else []
        if name == "growth":
            options += ["--out", str(out / "growth.png")]
        printed, status = run(name, options, out / f"{name}.md")
        texts.append(f"## bench/{' '.join([f'{name}.py', *options])}\n\n{printed}")
        if found := read_ratios(printed):
            ratios[name] = found
        if status:
            wrong.append(f"{name}: exit status {status}")
        wrong += [f"{name}, {line}" for line in regressions(found, scripts[name]["ratios"])]
    (out / "bench.md").write_text("\n".join(texts), encoding="utf-8")
    if ratios:
        picture(ratios, out / "bench.png")
    print(f"\n{out / 'bench.md'}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
