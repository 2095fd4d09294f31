"""The same texts through the `tokenizers` library: reads {"texts", "jobs": [{"steps" or "tokenizer" and "max", "output"}…]} from a
JSON file and writes each job's answers. Texts, and answers that are texts or ids (int32), stand one behind the other, each after its
length in bytes (uint32)."""
import array
import json
import struct
import sys

from tokenizers import Tokenizer
from tokenizers.normalizers import BertNormalizer


def read(name):
    with open(name, "rb") as file:
        content = file.read()
    texts, at = [], 0
    while at < len(content):
        (size,) = struct.unpack_from("<I", content, at)
        texts.append(content[at + 4:at + 4 + size].decode("utf-8", "replace"))
        at += 4 + size
    return texts


def answers(job, texts):
    if "steps" in job:
        clean, ideographs, bare, lower = job["steps"]
        normalizer = BertNormalizer(clean_text=clean, handle_chinese_chars=ideographs, strip_accents=bare, lowercase=lower)
        return (normalizer.normalize_str(text).encode() for text in texts)
    tokenizer = Tokenizer.from_file(job["tokenizer"])
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if job["max"]:
        tokenizer.enable_truncation(job["max"])
    return (array.array("i", encoding.ids).tobytes() for encoding in tokenizer.encode_batch(texts))


def main():
    with open(sys.argv[1]) as file:
        asked = json.load(file)
    texts = read(asked["texts"])
    for job in asked["jobs"]:
        with open(job["output"], "wb") as file:
            for answer in answers(job, texts):
                file.write(struct.pack("<I", len(answer)) + answer)


main()
