"""The authors' checkpoints: what an imported model computes, what is refused, that nothing is lost on the way back."""

from __future__ import annotations

import itertools
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from attend.cli import attend
from attend.data.manifest import Fingerprint
from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.score.captioner import load_captioner
from attend.train.arctic.exporting import export_run
from attend.train.arctic.importing import ArcticFiles, import_run
from attend.train.arctic.options import read_options
from attend.train.checkpoint import write_checkpoint
from attend.train.config import ModelSettings, TrainConfig
from attend.train.config_file import read_preset, write_run_file
from attend.train.models.variants import build_captioner
from attend.train.run import load_run
from tests.arctic_files import OPTIONS, WORDS, D, K, random_arrays, write_files
from tests.numpy_decoder import decode
from tests.tiny_store import make_store

UNKNOWN = Fingerprint("vgg19", "conv5_4", "unknown", "unknown", "float32", {})


def imported(folder: Path, options: dict[str, Any], arrays: dict[str, np.ndarray] | None = None) -> Path:
    import_run(write_files(folder, options, arrays), folder / "run", None, UNKNOWN, {})
    return folder / "run"


def exported(run: Path, folder: Path) -> ArcticFiles:
    folder.mkdir()
    files = ArcticFiles(folder / "m.npz", folder / "m.npz.pkl", folder / "d.pkl")
    export_run(load_run(run), files)
    return files


def log_probs(run: Path, places: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random annotations (2, L, D), words (2, 5), and what the run makes of them (2, 5, K)."""
    chance = np.random.default_rng(1)
    annotations, words = chance.standard_normal((2, places, D)), chance.integers(0, K, (2, 5))
    found = load_captioner(run, device="cpu").log_probs(torch.from_numpy(annotations), torch.from_numpy(words))
    return annotations, words, found.numpy()


def check_forward(run: Path, options: dict[str, Any], **scales: float) -> None:
    annotations, words, found = log_probs(run)
    arrays = {name: array.astype(np.float64) for name, array in random_arrays(options).items()}
    for row in range(2):
        expected, _, _ = decode(arrays, annotations[row], words[row].tolist(), options["prev2out"], **scales)
        np.testing.assert_allclose(found[row], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("previous", "context", "selector", "layers"),
    list(itertools.product([True, False], [True, False], [True, False], itertools.product([1, 2, 3], [1, 2, 3]))),
)
def test_an_imported_model_computes_what_the_names_mean(tmp_path, previous, context, selector, layers):
    options = OPTIONS | {
        "prev2out": previous,
        "ctx2out": context,
        "selector": selector,
        "n_layers_att": layers[0],
        "n_layers_init": layers[1],
        "n_layers_out": layers[0],
        "use_dropout": layers != (1, 3),
    }
    check_forward(imported(tmp_path, options), options, dropped=0.5 if options["use_dropout"] else 1.0)


def test_dropout_of_the_gates_is_in_the_weights(tmp_path):
    options = OPTIONS | {"use_dropout_lstm": True}
    check_forward(imported(tmp_path, options), options, dropped=0.5, dropped_gates=0.5)


@pytest.mark.parametrize("dropout", [True, False])
def test_the_annotation_lstm(tmp_path, dropout):
    options = OPTIONS | {"lstm_encoder": True, "use_dropout": dropout}
    check_forward(imported(tmp_path, options), options, dropped=0.5 if dropout else 1.0)


@pytest.mark.parametrize("temperature", [None, 0.7])
def test_stochastic_attention_decodes_with_the_expected_context(tmp_path, temperature):
    options = OPTIONS | {"attn_type": "stochastic"} | ({} if temperature is None else {"temperature": temperature})
    run = imported(tmp_path, options)
    assert load_run(run).variant == "hard"
    check_forward(run, options, dropped=0.5, temperature=temperature or 1.0)


@pytest.mark.parametrize(("attention", "variant"), [("deterministic", "soft"), ("stochastic", "hard")])
def test_an_import_and_the_authors_preset_agree(tmp_path, attention, variant):
    """The options of their COCO script are the preset's model; what the options do not say is the preset's."""
    preset = read_preset("arctic", variant)
    coco = OPTIONS | {"dim": 1800, "dim_word": 512, "ctx_dim": 512, "n_words": 10000, "attn_type": attention}
    options, notes = read_options(write_files(tmp_path, coco, {}).options)
    assert (options.variant, options.model_settings(), notes) == (variant, preset.model, [])
    small = OPTIONS | {"attn_type": attention}
    config = load_run(imported(tmp_path / "small", small)).config
    model = replace(preset.model, units=small["dim"], embedding=small["dim_word"])
    assert config == replace(preset, model=model, words=replace(preset.words, size=K))


def test_temperature_means_nothing_without_sampling(tmp_path):
    options = OPTIONS | {"temperature": 0.7}
    check_forward(imported(tmp_path, options), options, dropped=0.5)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"use_dropout": False},
        {"use_dropout_lstm": True},
        {"lstm_encoder": True, "selector": False},
        {"n_layers_out": 3, "n_layers_att": 3, "n_layers_init": 3, "ctx2out": False},
    ],
)
def test_export_of_an_import_is_the_file(tmp_path, changes):
    files = write_files(tmp_path, OPTIONS | changes)
    import_run(files, tmp_path / "run", None, UNKNOWN, {})
    back = exported(tmp_path / "run", tmp_path / "back")
    old, new = np.load(files.model), np.load(back.model)
    assert set(new.files) == set(old.files) - {"zipped_params", "valid_err"}
    for name in new.files:
        assert new[name].dtype == old[name].dtype
        assert new[name].shape == old[name].shape
        assert np.array_equal(new[name], old[name]), name
    known = {name: value for name, value in (OPTIONS | changes).items() if value is not None}
    assert read(back.options) == known | {"temperature": 1.0}
    assert read(back.dictionary) == {"<eos>": 0, "UNK": 1} | WORDS
    assert back.options.read_bytes()[:2] == back.dictionary.read_bytes()[:2] == b"\x80\x02"


@pytest.mark.parametrize("variant", ["soft", "hard"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"dropout": 0.0, "gate": False}, {"dropout": 0.3}, {"annotation_lstm": True, "output_layers": 2}],
)
def test_import_of_an_export_is_the_run(tmp_path, variant, changes):
    run = tmp_path / "run"
    write_own_run(run, variant, ModelSettings(**{"units": 6, "embedding": 4, **changes}))
    again = tmp_path / "again"
    import_run(exported(run, tmp_path / "files"), again, None, UNKNOWN, {})
    assert np.array_equal(log_probs(again)[2], log_probs(run)[2])
    assert load_run(again).variant == variant
    assert load_run(again).vocabulary == load_run(run).vocabulary


def write_own_run(folder: Path, variant: str, settings: ModelSettings) -> None:
    """A run directory as training leaves it, with random weights."""
    vocabulary = Vocabulary(("<end>", "<unknown>", *WORDS))
    torch.manual_seed(0)
    model = build_captioner(variant, settings, D, K)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.5)
    folder.mkdir()
    write_checkpoint(folder / "best.pt", {"model": model.state_dict(), "step": 7})
    vocabulary.save(folder / "vocabulary.json")
    store = {"folder": "x", "grid": [1, 7], "channels": D, "weights_file": "", **asdict(UNKNOWN)}
    record = {"run": {"dataset": "tiny", "variant": variant, "vocabulary_hash": vocabulary.hash}, "store": store}
    write_run_file(folder / "config.toml", TrainConfig(model=settings), record)


def read(path: Path) -> Any:
    from attend.train.arctic.plain_pickle import read_plain_pickle

    return read_plain_pickle(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_layers_lstm": 2}, "n_layers_lstm=2 is not supported: the captioner has one LSTM"),
        ({"attn_type": "global"}, "attn_type=global is unknown: one of deterministic, stochastic"),
        ({"dim": "many"}, "dim='many' is not what the authors' code takes"),
        ({"selector": 7}, "selector=7 is not what"),
        ({"n_layers_att": 0}, "n_layers_att=0 is not what"),
        ({"n_layers_att": 3}, "lacks decoder_W_att_2, decoder_b_att_2: give the options"),
        ({"ctx2out": False}, "holds ff_logit_ctx_W, ff_logit_ctx_b, which the options do not call for"),
        ({"dim": 7}, r"decoder_U is \(6, 24\), not \(7, 28\)"),
    ],
)
@pytest.mark.fault("an option of the authors' code that cannot be followed", "refused by name", "Training")
def test_options_that_cannot_be_followed_are_named(tmp_path, changes, message):
    files = write_files(tmp_path, OPTIONS | changes, random_arrays(OPTIONS))
    with pytest.raises(UserError, match=message) as error:
        import_run(files, tmp_path / "run", None, UNKNOWN, {})
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


def test_a_missing_option_is_named_and_absent_or_unknown_ones_are_said(tmp_path):
    short = {name: value for name, value in OPTIONS.items() if name != "dim_word"}
    with pytest.raises(UserError, match="lacks the option dim_word"):
        import_run(write_files(tmp_path, short, random_arrays(OPTIONS)), tmp_path / "run", None, UNKNOWN, {})
    older = {name: value for name, value in OPTIONS.items() if name != "use_dropout_lstm"} | {"colour": "blue"}
    files = write_files(tmp_path, older, random_arrays(OPTIONS))
    lines = import_run(files, tmp_path / "run", None, UNKNOWN, {})
    assert lines == [
        "options absent, taken as off or 1: use_dropout_lstm",
        "options unknown here, taken to have no effect on a trained model: colour",
    ]


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("decoder_b_sel", np.zeros(1, np.float32), r"decoder_b_sel is \(1,\), not \(\)"),
        ("Wemb", np.full((K, 4), np.nan, np.float32), "Wemb holds numbers that are not finite"),
        ("Wemb", np.zeros((K, 4), np.int64), "Wemb holds int64, not floating-point"),
        ("Wemb", np.array([{}], dtype=object), "Wemb cannot be read"),
    ],
)
def test_wrong_arrays_are_named(tmp_path, name, array, message):
    files = write_files(tmp_path, OPTIONS, random_arrays(OPTIONS) | {name: array})
    with pytest.raises(UserError, match=message):
        import_run(files, tmp_path / "run", None, UNKNOWN, {})


def test_files_that_are_missing_or_something_else_are_named(tmp_path):
    files = write_files(tmp_path)
    for content in (b"", b"text", files.model.read_bytes()[:500], files.options.read_bytes()):
        (tmp_path / "broken.npz").write_bytes(content)
        with pytest.raises(UserError, match=r"broken\.npz"):
            broken = ArcticFiles(tmp_path / "broken.npz", files.options, files.dictionary)
            import_run(broken, tmp_path / "run", None, UNKNOWN, {})
    np.save(tmp_path / "one.npy", np.zeros(3))
    for model, message in (("one.npy", "is one array"), ("none.npz", "is not there")):
        with pytest.raises(UserError, match=message):
            import_run(
                ArcticFiles(tmp_path / model, files.options, files.dictionary), tmp_path / "run", None, UNKNOWN, {}
            )
    with pytest.raises(UserError, match=r"model\.npz\.pkl holds a list"):
        files.options.write_bytes(b"\x80\x02].")
        import_run(files, tmp_path / "run", None, UNKNOWN, {})


def test_double_precision_is_rounded_and_said(tmp_path):
    files = write_files(tmp_path, OPTIONS, random_arrays(OPTIONS) | {"Wemb": np.full((K, 4), 0.1)})
    assert import_run(files, tmp_path / "run", None, UNKNOWN, {}) == ["rounded to float32: Wemb"]


def test_the_commands_with_a_store_and_back(tmp_path):
    options = OPTIONS | {"ctx_dim": 8}
    files = write_files(tmp_path, options)
    store = make_store(tmp_path / "store")

    def call(*words: str | Path):
        return CliRunner().invoke(attend, [str(word) for word in words])

    pickles = ("--options", files.options, "--dictionary", files.dictionary)
    result = call("import-arctic", files.model, *pickles, "--out", tmp_path / "run", "--store", store)
    assert result.exit_code == 0, result.output
    run = load_run(tmp_path / "run")
    assert (run.dataset, run.grid, run.fingerprint.encoder) == ("tiny", (3, 3), "tiny")
    again = call("import-arctic", files.model, *pickles, "--out", tmp_path / "run")
    assert "is a run already" in str(again.exception)
    result = call("export-arctic", tmp_path / "run", "--out", tmp_path / "new" / "model.npz")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "dictionary.pkl",
        "model.npz",
        "model.npz.pkl",
    ]
    result = call("export-arctic", tmp_path / "run", "--out", tmp_path / "new" / "model.npz")
    assert "model.npz exists" in str(result.exception)
    result = call("import-arctic", files.model, *pickles, "--out", tmp_path / "unbound")
    assert "its features are unknown: --store" in result.output
    assert load_run(tmp_path / "unbound").grid == (14, 14)
    narrow = write_files(tmp_path / "narrow")
    pickles = ("--options", narrow.options, "--dictionary", narrow.dictionary)
    result = call("import-arctic", narrow.model, *pickles, "--out", tmp_path / "other", "--store", store)
    assert "has annotations of 8 channels, the model wants 5" in str(result.exception)
