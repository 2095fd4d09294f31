"""Writes core/pretrained/unicode_tables.inc: what the `tokenizers` library does to every code point, asked of the library itself.

    python3 -m venv VENV && VENV/bin/pip install tokenizers==0.23.3
    VENV/bin/python packaging/python/unicode_tables.py > core/pretrained/unicode_tables.inc

Its Unicode tables are of several versions (normalisation and categories are older than the case mappings), and models were
trained with them: newer tables would give other ids. What the tables can't express is looked for here and refused.
Takes a minute; the output depends on the library alone.
"""
import functools
import sys

import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

DROPPED, WHITE, PUNCTUATION, IDEOGRAPH, WORD, BARRIER, HANGUL = (1 << bit for bit in range(7))
ALL = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
FIRST_SYLLABLE, LAST_SYLLABLE = 0xAC00, 0xD7A3
WIDTH = 128


def step(**only):
    off = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    return normalizers.BertNormalizer(**{**off, **only}).normalize_str


CLEAN, IDEOGRAPHS, BARE, LOWER = step(clean_text=True), step(handle_chinese_chars=True), step(strip_accents=True), step(lowercase=True)
DECOMPOSE = normalizers.NFD().normalize_str
SPLIT = pre_tokenizers.BertPreTokenizer().pre_tokenize_str


def expect(holds, what, code):
    if not holds:
        sys.exit(f"U+{code:04X}: {what}")


def pieces_with(**how):
    """Number of tokens of "[X]" and one more character, where [X] is an added token."""
    tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.add_tokens([AddedToken("[X]", normalized=False, **how)])
    return lambda text: len(tokenizer.encode(text).ids)


def is_starter(char):
    """Whether nothing is sorted past it: below and above are marks of the lowest and of the highest class."""
    low, high = "\u0334", "\u0345"
    return DECOMPOSE("a" + high + char) == "a" + high + char and DECOMPOSE("a" + char + low) == "a" + char + low


def orders(marks):
    """The rank of each kept mark's combining class, from 1, by sorting them in pairs."""
    compare = lambda a, b: (DECOMPOSE("a" + a + b) != "a" + a + b) - (DECOMPOSE("a" + b + a) != "a" + b + a)
    ranks, last = {}, None
    for mark in sorted(sorted(marks), key=functools.cmp_to_key(compare)):
        ranks[mark] = 1 if last is None else ranks[last] + (compare(last, mark) != 0)
        last = mark
    for a in marks:
        for b in marks:
            expect(compare(a, b) == (ranks[a] > ranks[b]) - (ranks[a] < ranks[b]), "its class has no rank", ord(a))
    return ranks


def flags_of(char, code, removed_starters, is_word, is_space):
    cleaned, parts = CLEAN(char), len(SPLIT("a" + char + "a"))
    flags = {1: 0, 2: WHITE, 3: PUNCTUATION}[parts]
    flags |= DROPPED if cleaned == "" else 0
    flags |= IDEOGRAPH if IDEOGRAPHS(char) != char else 0
    flags |= WORD if is_word("[X]" + char) else 0
    flags |= BARRIER if any(part in removed_starters for part in DECOMPOSE(char)) else 0
    expect(cleaned in ("", " " if flags & WHITE else char), "cleaned to something else", code)
    expect(IDEOGRAPHS(char) in (char, f" {char} "), "spaced otherwise", code)
    expect(bool(flags & WHITE) == is_space("[X]" + char), "white to one step, not to another", code)
    return flags


def check_syllable(code):
    index = code - FIRST_SYLLABLE
    jamo = [0x1100 + index // 588, 0x1161 + index % 588 // 28] + ([0x11A7 + index % 28] if index % 28 else [])
    expect(BARE(chr(code)) == "".join(map(chr, jamo)), "not the syllable's Jamo", code)
    expect(all(is_starter(chr(part)) and LOWER(chr(part)) == chr(part) for part in jamo), "a Jamo that moves", code)


def gather():
    """code → (flags, order, text without accents, lower case)."""
    singles = [chr(code) for code in ALL if DECOMPOSE(chr(code)) == chr(code)]
    starters = set(filter(is_starter, singles))
    removed_starters = {char for char in starters if BARE(char) == ""}
    ranks = orders([char for char in singles if char not in starters and BARE(char) != ""])
    white = {chr(code) for code in ALL if len(SPLIT("a" + chr(code) + "a")) > 1}
    one_word, right = pieces_with(single_word=True), pieces_with(rstrip=True)
    is_word, is_space = (lambda text: one_word(text) == 1), (lambda text: right(text) == 1)
    infos = {}
    for code in ALL:
        char = chr(code)
        flags, parts = flags_of(char, code, removed_starters, is_word, is_space), DECOMPOSE(char)
        expect(BARE(char) == "".join(part for part in parts if BARE(part) != ""), "accents go otherwise", code)
        marked = [part for part in parts if part in ranks]
        expect(not (marked and flags & BARRIER), "a kept mark beside a removed starter", code)
        expect(not any(LOWER(part) != part or part in white for part in marked), "a mark with a case, or that splits", code)
        bare = BARE(char)
        if FIRST_SYLLABLE <= code <= LAST_SYLLABLE:
            check_syllable(code)
            flags, bare = flags | HANGUL, char
        infos[code] = flags, ranks.get(char, 0), bare, LOWER(char)
    return infos


class Pool:
    """Texts one after another, each after its length. The place 0 means the code point itself."""

    def __init__(self):
        self.codes, self.places = [0], {}

    def place(self, char, text):
        if text == char:
            return 0
        if text not in self.places:
            self.places[text] = len(self.codes)
            self.codes += [len(text)] + [ord(part) for part in text]
        return self.places[text]


def write(kind, name, values):
    print(f"constexpr {kind} {name}[] = {{")
    line = "   "
    for value in values:
        if len(line) + len(str(value)) + 2 > WIDTH:
            print(line)
            line = "   "
        line += f" {value},"
    print(line + "};\n")


def main():
    infos, pool, rows, pages, page_of, every = gather(), Pool(), {}, {}, [], []
    for page in range(0x1100):
        numbers = []
        for code in range(page << 8, (page + 1) << 8):
            # A surrogate stands in no UTF-8; decoders never give one.
            flags, order, bare, lower = infos.get(code, (DROPPED, 0, chr(code), chr(code)))
            row = flags, order, pool.place(chr(code), bare), pool.place(chr(code), lower)
            numbers.append(rows.setdefault(row, len(rows)))
        key = tuple(numbers)
        if key not in pages:
            pages[key] = len(pages)
            every += numbers
        page_of.append(pages[key])
    expect(max(len(rows), len(pool.codes), len(pages)) < 1 << 16, "the tables are too large", 0)
    print(f"// What tokenizers {tokenizers.__version__} does to every code point. Written by packaging/python/unicode_tables.py: don't edit.\n")
    write("std::uint16_t" if len(pages) > 256 else "std::uint8_t", "kPageOf", page_of)
    write("std::uint16_t", "kPages", every)
    write("CharInfo", "kInfos", ("{%d, %d, %d, %d}" % row for row in rows))
    write("char32_t", "kTexts", pool.codes)


main()
