"""Reads the scripts named as arguments and says what a reviewer would: they must compile, stay within 100 columns, and use
all that they import, define and assign at the top level. Exits with 1 when there is something to say."""
import ast
import sys


def problems(text, file):
    tree = ast.parse(text, file)
    compile(tree, file, "exec")
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        if isinstance(node, ast.Assign):
            names |= {inner.id for target in node.targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    yield from (f"{name} is never used" for name in sorted(names - used))
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 100 or line != line.rstrip() or "\t" in line:
            yield f"line {number}: {line!r}"
    if "\n\n\n\n" in text or not text.endswith("\n") or text.endswith("\n\n"):
        yield "blank lines"


def main():
    said = False
    for file in sys.argv[1:]:
        with open(file, encoding="utf-8") as script:
            for problem in problems(script.read(), file):
                print(f"{file}: {problem}")
                said = True
    sys.exit(said)


main()
