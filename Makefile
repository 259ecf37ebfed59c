# Photos → features → captioner → captions, scores, pictures. `make help` lists everything.
# Variables are set on the command line; the shell's environment does not change them.

DATASET   = scenes
VARIANT   = soft
ENCODER   = vgg19
WEIGHTS   = imagenet
OUT       = artifacts
DATA      = datasets/$(DATASET)
RUN       = $(DATASET)-$(ENCODER)-$(VARIANT)
SPLIT     = test
DEVICE    = auto
PRECISION = auto
FIT       = auto
ON_ERROR  = skip
PYTHON    = python3
CODEC     =
IMAGES    =
CAPTIONS  =
BEAM      =
N         =
ATTENTION =
PRESET    =
SET       =
RESUME    =
START     =
LEAST     =
METRICS   =
COMPARE   =
HUMAN     =
RESULTS   =
REFERENCES =
SCORES    =
GPUS      = 1
CONFIG    =
WORKERS   =
SCHEDULER =
SHARD_ROWS =
SMALL     =
PHOTOS    =
PANELS    =
PANEL     =
HOST      =
PORT      =

$(if $(filter-out 1,$(GPUS)),$(if $(filter-out train,$(MAKECMDGOALS)),$(error GPUS= is for make train alone)))
$(if $(WORKERS)$(SCHEDULER)$(SHARD_ROWS),$(if $(filter-out features,$(MAKECMDGOALS)),$(error WORKERS=, SCHEDULER= and SHARD_ROWS= are for make features alone)))
if_said = $(if $(filter command line,$(origin $(1))),$(2))

# An activated environment that has the package is used as it is; else .venv, made on the first use.
HAS := import importlib.metadata as m; m.version("show-attend-tell")
ACTIVE := $(if $(VIRTUAL_ENV)$(CONDA_PREFIX),$(shell cd / && python -c '$(HAS)' 2>/dev/null && command -v python))
PY := $(or $(ACTIVE),.venv/bin/python)
SETUP := $(if $(ACTIVE),,.venv/.installed)
ATTEND = "$(PY)" -m attend
set_words = $(if $(SET),--set "$(SET)")
search = $(if $(BEAM),--beam $(BEAM)) $(set_words)

.DEFAULT_GOAL := help
.PHONY: help setup demo test features verify train bleu score naming caption report serve bench lint

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12
	@echo
	@echo 'Variables, by target:'
	@echo '  all         DATASET=$(DATASET)  flickr8k, flickr30k, coco or folder   ENCODER=$(ENCODER)  vgg16 or efficientnet_lite0'
	@echo '              OUT=$(OUT)   DEVICE=$(DEVICE)   SET="optim.epochs=3 model.units=512"  any setting by name (docs/settings.md)'
	@echo '  features    DATA=$(DATA)   IMAGES=, CAPTIONS=  where those are not below DATA (docs/datasets.md)'
	@echo '              WEIGHTS=$(WEIGHTS), a path or random:SEED   FIT=auto, crop or whole   PRECISION=auto, float32 or bfloat16'
	@echo '              ON_ERROR=stop, or skip: photos that fail are no error   CODEC=zstd, blosc2, lzf, gzip or none   SHARD_ROWS=1000'
	@echo '              WORKERS=4  processes   SCHEDULER=tcp://host:8786  of Dask (docs/scale.md)'
	@echo '  train       VARIANT=$(VARIANT), hard, uniform, mean or nic   PRESET=  the dataset'"'"'s own   RESUME=1  goes on'
	@echo '              RUN=DATASET-ENCODER-VARIANT  its name   START=  a run whose best weights and words it begins with'
	@echo '              GPUS=4  processes, one a GPU   CONFIG=  config.toml of a run, which is repeated   PRECISION='
	@echo '  bleu        RUN=, or RUN="a b c"   SPLIT=$(SPLIT)   BEAM=, SET="search.…=…"  in place of the run'"'"'s own'
	@echo '  naming      RUN=   SPLIT=$(SPLIT)   LEAST=0.8'
	@echo '  caption     RUN=, or RUN="a b c"   IMAGES=  photo or folder   BEAM=, WEIGHTS=  in place of the run'"'"'s own'
	@echo '              N=5  captions a photo, each with its log-probability   ATTENTION=1  maps, and boxes in the photo'"'"'s pixels'
	@echo '              SET="search.method=diverse"  or sample; search.required=dog,ball; search.no_repeat=2 (docs/captions.md)'
	@echo '  report      RUN=   SPLIT=  of its captions: test where that is scored, else val   PHOTOS=1000  in the gallery, 0: all'
	@echo '              PANELS=20  PNG pictures of all words   PANEL="ID ID"  of these photos too'
	@echo '  serve       RUN=, or RUN="a b c"   PORT=8765   HOST=127.0.0.1   N=3  captions a photo   BEAM=, WEIGHTS=  in place of the run'"'"'s own'
	@echo '  bleu, score METRICS=bleu,meteor,rouge,cider  and spice   SCORES=  a JSON file for make score, its table beside it'
	@echo '  bench       SMALL=1  a short form of those that have one'

setup: $(SETUP) ## create .venv and install (the other targets do it when it is needed)

.venv/.installed: pyproject.toml
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --editable '.[dev]'
	touch $@

DEMO = DATASET=scenes ENCODER=efficientnet_lite0 SPLIT=val RESUME=1
demo: $(SETUP) ## the whole pipeline on the embedded scenes: features, train, bleu, naming, report
	@$(MAKE) --no-print-directory features $(DEMO) SET="$(filter scenes.%,$(SET))"
	@$(MAKE) --no-print-directory train $(DEMO) SET="$(filter-out scenes.%,$(SET))"
	@$(MAKE) --no-print-directory bleu naming report $(DEMO) SET=

test: $(SETUP) ## the whole test suite
	"$(PY)" -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile

features: $(SETUP) ## stage 1: photos to a feature store; goes on where it stopped
	@$(ATTEND) features --dataset $(DATASET) --encoder $(ENCODER) --data "$(DATA)" --weights "$(WEIGHTS)" --out "$(OUT)" \
		--device $(DEVICE) --precision $(PRECISION) --fit $(FIT) $(call if_said,ON_ERROR,--on-error $(ON_ERROR)) \
		$(if $(CODEC),--codec $(CODEC)) $(if $(IMAGES),--images "$(IMAGES)") $(if $(CAPTIONS),--captions "$(CAPTIONS)") \
		$(set_words) $(if $(WORKERS),--workers $(WORKERS)) $(if $(SCHEDULER),--scheduler "$(SCHEDULER)") \
		$(if $(SHARD_ROWS),--shard-rows $(SHARD_ROWS))

verify: $(SETUP) ## check a feature store against its manifest
	@$(ATTEND) verify --dataset $(DATASET) --encoder $(ENCODER) --out "$(OUT)"

said_or_own = $(if $(CONFIG),$(call if_said,$(1),$(2)),$(2))
what = $(if $(CONFIG),--config "$(CONFIG)") $(call said_or_own,DATASET,--dataset $(DATASET)) \
	$(call said_or_own,ENCODER,--encoder $(ENCODER)) $(call said_or_own,VARIANT,--variant $(VARIANT)) \
	$(call said_or_own,RUN,--run "$(RUN)")
train: $(SETUP) ## stage 2: a feature store to a captioner; RESUME=1 goes on
	@$(ATTEND) train $(what) --out "$(OUT)" --device $(DEVICE) $(call if_said,GPUS,--gpus $(GPUS)) \
		$(if $(filter-out 0 no,$(RESUME)),--resume) $(if $(PRESET),--preset $(PRESET)) $(set_words) \
		$(if $(START),--start "$(START)") $(call if_said,PRECISION,--set optim.precision=$(PRECISION))

bleu: $(SETUP) ## stage 3: captions and scores of a run, or of an ensemble: RUN="a b c"
	@$(ATTEND) bleu $(call if_said,DATASET,--dataset $(DATASET)) --run "$(RUN)" --split $(SPLIT) --out "$(OUT)" \
		--device $(DEVICE) $(search) $(if $(METRICS),--metrics "$(METRICS)")

score: $(SETUP) ## captioned runs side by side: RUN="a b"; COMPARE=1 paired, HUMAN=1 with people; or RESULTS= REFERENCES=
	@$(ATTEND) score $(call if_said,DATASET,--dataset $(DATASET)) --split $(SPLIT) --artifacts "$(OUT)" \
		$(if $(RESULTS),--results "$(RESULTS)",--run "$(RUN)") $(if $(REFERENCES),--references "$(REFERENCES)") \
		$(if $(filter-out 0 no,$(COMPARE)),--compare) $(if $(filter-out 0 no,$(HUMAN)),--human) \
		$(if $(METRICS),--metrics "$(METRICS)") $(if $(SCORES),--out "$(SCORES)")

naming: $(SETUP) ## how many captions of the scenes name a right thing in its right colour; LEAST=0.8 insists
	@$(ATTEND) naming --run "$(RUN)" --split $(SPLIT) --out "$(OUT)" $(if $(LEAST),--least $(LEAST))

caption: $(SETUP) ## captions any photos as JSON lines: RUN= (or RUN="a b c") IMAGES=photo-or-folder
	@$(ATTEND) caption --run "$(RUN)" --images "$(IMAGES)" --out "$(OUT)" --device $(DEVICE) $(search) \
		$(if $(N),--n-best $(N)) $(if $(filter-out 0 no,$(ATTENTION)),--attention) \
		$(call if_said,WEIGHTS,--weights "$(WEIGHTS)")

report: $(SETUP) ## a folder of HTML to look at: scores, curves, a gallery, where the model looked
	@$(ATTEND) report --run "$(RUN)" --out "$(OUT)" --device $(DEVICE) $(call if_said,SPLIT,--split $(SPLIT)) \
		$(if $(PHOTOS),--photos $(PHOTOS)) $(if $(PANELS),--panels $(PANELS)) $(foreach id,$(PANEL),--panel "$(id)")

serve: $(SETUP) ## a page that captions the photos dropped on it: RUN= (or RUN="a b c") PORT=8765
	@$(ATTEND) serve --run "$(RUN)" --out "$(OUT)" --device $(DEVICE) $(search) $(call if_said,WEIGHTS,--weights "$(WEIGHTS)") \
		$(if $(N),--n-best $(N)) $(if $(HOST),--host "$(HOST)") $(if $(PORT),--port $(PORT))

bench: $(SETUP) ## ratios on this machine beside a peer and limits, into OUT/bench; SMALL=1 in a short form
	@"$(PY)" bench/every.py --out "$(OUT)/bench" $(if $(filter-out 0 no,$(SMALL)),--small)

lint: $(SETUP) ## ruff and the type check
	"$(PY)" -m ruff check .
	"$(PY)" -m ruff format --check .
	rm -rf build/types && mkdir -p build/types/attend
	ln -s "$(CURDIR)"/attend/* "$(CURDIR)"/data "$(CURDIR)"/extract "$(CURDIR)"/train "$(CURDIR)"/score build/types/attend/
	cd build/types && "$(abspath $(PY))" -m mypy --config-file ../../pyproject.toml
