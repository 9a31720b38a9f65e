"""The sound of the shop: a recording that is too big for a message, made in constant memory."""

import math
import tempfile
import wave
from array import array

from django.core.files import File
from django.core.files.storage import default_storage

NAME = "ambience/espresso-machine.wav"
RATE, CHANNELS, WIDTH = 44_100, 2, 2
FRAMES = 10_000_000  # 40 MB, not quite four minutes


def recorded() -> str:
    """Return the name of the recording in the default storage, which is made when it is first asked for."""
    if default_storage.exists(NAME):
        return NAME
    with tempfile.TemporaryFile() as file:
        with wave.open(file, "wb") as recording:
            recording.setnchannels(CHANNELS)
            recording.setsampwidth(WIDTH)
            recording.setframerate(RATE)
            second = _second()
            for _ in range(FRAMES // RATE):
                recording.writeframesraw(second)
            recording.writeframes(second[: FRAMES % RATE * CHANNELS * WIDTH])
        file.seek(0)
        return default_storage.save(NAME, File(file))


def _second() -> bytes:
    """Return one second of a machine's hum, in frames of 16 bits for two channels."""
    samples = array("h")
    for number in range(RATE):
        moment = 2 * math.pi * number / RATE
        hum = 0.5 * math.sin(50 * moment) + 0.2 * math.sin(150 * moment) + 0.1 * math.sin(2400 * moment)
        samples.extend([round(12_000 * hum)] * CHANNELS)
    return samples.tobytes()
