"""Every setting of a training run: small frozen dataclasses, one per section, each field documented."""

from __future__ import annotations

from dataclasses import dataclass, field

from attend.train.hard_settings import HardSettings
from attend.train.search_settings import SearchSettings


@dataclass(frozen=True)
class WordsSettings:
    """The captions trained on, and the vocabulary, which is built from them alone."""

    restval: bool = False
    """Train on the photos of the split `restval` too: the part of COCO's val that Karpathy leaves for training. The
    paper does not, most after it do. Refused where the store has no such photo."""
    captions: int = 0
    """Captions of a photo trained on, the first ones; what is more is left out, counted and said. 0: all. The paper: 5
    for COCO."""
    size: int = 10_000
    """K: words kept, the end word and the unknown word included. Paper: 10,000."""
    min_count: int = 1
    """A word seen fewer times in the training captions becomes the unknown word. Paper: 1 (only K cuts)."""
    longest: int = 100
    """Words of a training caption; what is longer is cut, counted and said. The authors' code: 100."""


@dataclass(frozen=True)
class ModelSettings:
    """The decoder."""

    units: int = 1300
    """n: LSTM units."""
    embedding: int = 512
    """m: size of a word embedding and width of the deep output."""
    attention_layers: int = 2
    """Layers that make the attention keys of the annotations."""
    init_layers: int = 2
    """Layers from the mean annotation to the first state; all but the last are shared by h0 and c0."""
    gate: bool = True
    """The scalar beta_t on the context (section 4.2.1)."""
    output_context: bool = True
    """The context enters the deep output (L_z of eq. 7)."""
    output_previous_word: bool = True
    """The previous word enters the deep output (E y of eq. 7)."""
    output_layers: int = 1
    """Layers of the deep output; all but the last are ReLU layers after its tanh (authors' n_layers_out)."""
    annotation_lstm: bool = False
    """A bidirectional LSTM reads the annotations first; each place has 2n channels then (authors' lstm_encoder)."""
    dropout: float = 0.5
    """Probability, at the paper's places: initial hidden layers, h before the output, the output's tanh and layers."""


@dataclass(frozen=True)
class LossSettings:
    """What is minimised besides -log p(words)."""

    doubly_stochastic: float = 0.327
    """λ of eq. 14, against the words' loss summed over steps and averaged over captions. The paper gives no number;
    the authors' alpha_c = 1 is λ = batch / places: 0.327 for 64 captions and 196 places. Hard attention starts from
    0, as in the paper; where it is set there, it acts on the probabilities alpha, not on the samples."""


@dataclass(frozen=True)
class BatchSettings:
    """How captions become mini-batches."""

    size: int = 64
    """Captions in a mini-batch, all of one length, in all processes together. Paper: 64."""
    order: str = "random"
    """`random`: mini-batches of one length in random order (paper). `round_robin`: lengths in turn (authors' code)."""
    cache_share: float = 0.5
    """Annotations are kept after the first read when all of them fit in this share of the free memory: the GPU's, else
    the host's, once for each process there; 0: never."""


@dataclass(frozen=True)
class OptimSettings:
    """The optimiser and when to stop."""

    algorithm: str = "adam"
    """`adam`; `adam_arctic`: the authors', whose bias correction is almost none, so that the first steps are 3 to 7
    times as long; `rmsprop`: Graves' centred form, arXiv 1308.0850, eq. 38-45, decay 0.95, momentum 0.9."""
    learning_rate: float = 2e-4
    """Step size. The authors' Adam: 2e-4; Graves' RMSProp: 1e-4."""
    weight_decay: float = 0.0
    """This times the weight is added to its gradient. The authors' decay_c c is 2c here: they add c·Σw² to the loss."""
    clip_norm: float = 0.0
    """The gradient is scaled down to this global norm; 0: never."""
    label_smoothing: float = 0.0
    """Share of each target spread evenly over the vocabulary; 0: the paper's likelihood."""
    scheduled_sampling: float = 0.0
    """Probability with which a training step reads a word drawn from the model's own distribution, after what it read
    so far and without dropout, instead of the caption's word before (arXiv 1506.03099, held constant); 0: never."""
    averaging: float = 0.0
    """Decay of an exponential moving average of the weights, which is then what is validated and kept; 0: none."""
    warmup_steps: int = 0
    """Optimiser steps over which the step size grows linearly to its full value; 0: full from the first."""
    decay_every: int = 0
    """Epochs after which the step size is multiplied by `decay_factor`, again and again; 0: never."""
    decay_factor: float = 0.5
    """See `decay_every`."""
    epochs: int = 100
    """Passes over the training captions at most."""
    patience: int = 10
    """Validations without a better score before training stops (authors' code: 10)."""
    precision: str = "auto"
    """`bfloat16` (autocast), `float32`, or `auto`: bfloat16 where the device gains by it."""
    seed: int = 1
    """Seeds initial weights, order of captions, dropout and what is drawn in training."""
    save_minutes: float = 10.0
    """`last.pt` is written after every validation and at least this often."""


@dataclass(frozen=True)
class ValidationSettings:
    """How often the captioner is judged while it trains; BLEU-4 of beam-search captions selects and stops (paper)."""

    split: str = "val"
    """Photos to caption."""
    every: float = 1.0
    """Epochs between validations; less than 1 validates within an epoch."""
    images: int = 0
    """Photos captioned at each validation, the first ones of the split; 0: all."""
    pictures: int = 4
    """Captions drawn for TensorBoard at each validation, word by word with where the model looked; 0: none."""


@dataclass(frozen=True)
class TrainConfig:
    """A whole run. `attend train` prints it and stores it as `config.toml`."""

    words: WordsSettings = field(default_factory=WordsSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    loss: LossSettings = field(default_factory=LossSettings)
    hard: HardSettings = field(default_factory=HardSettings)
    batches: BatchSettings = field(default_factory=BatchSettings)
    optim: OptimSettings = field(default_factory=OptimSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    validation: ValidationSettings = field(default_factory=ValidationSettings)
