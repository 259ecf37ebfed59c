"""Pictures of a few captions for TensorBoard: of the same photos at every validation, so that one sees them change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PIL import Image

from attend.data.items import Item
from attend.extract.images import Preprocessing, read_photo
from attend.extract.opening import PhotoError
from attend.score.pictures.attention import PANEL, draw_attention
from attend.score.search.caption import Caption


def sample_pictures(
    items: Sequence[Item], captions: Mapping[str, Caption], preprocessing: Preprocessing, grid: tuple[int, int]
) -> list[tuple[str, Image.Image]]:
    """A name and a picture of all words for each item; the picture of a photo that cannot be read is grey and says
    why."""
    pictures = []
    for number, item in enumerate(items):
        caption = captions[item.image_id]
        title = caption.text or "(no words)"
        try:
            photo = Image.fromarray(read_photo(item.path, preprocessing).pixels.permute(1, 2, 0).numpy())
        except PhotoError as error:
            photo, title = Image.new("RGB", (PANEL, PANEL), "#9aa3af"), f"{title}: {error.path.name} {error.what}"
        picture = draw_attention(photo, caption.words, caption.attention, caption.gates, grid, title)
        pictures.append((f"captions/{number}", picture))
    return pictures
