# hymg.h (and hymg_mpi.h) -> a C program that prints a row for each constant, type, member and call:
#   HYMG_NAME value / type size / type.member offset size / type handle size / call arguments, for each its handle or -

{ text = text $0 "\n" }

function without_comments(s,    out, from, to)
{
  while (from = index(s, "/*")) {
    out = out substr(s, 1, from - 1)
    s = substr(s, from + 2)
    to = index(s, "*/")
    s = substr(s, to + 2)
  }
  return out s
}

function constants(list,    words, n, i)
{
  n = split(list, words, ",")
  for (i = 1; i <= n; i++)
    if (match(words[i], /HYMG_[A-Z0-9_]+/))
      constant(substr(words[i], RSTART, RLENGTH))
}

function constant(name)
{
  if (name !~ /_(ENUM|LIST)$/) rows = rows "  printf(\"" name " %d\\n\", (int)" name ");\n"
}

# "double a, b[3]", "int (*c)(...)"
function members(type, body,    parts, words, n, m, i, j)
{
  rows = rows "  printf(\"" type " %zu\\n\", sizeof(" type "));\n"
  n = split(body, parts, ";")
  for (i = 1; i <= n; i++) {
    if (match(parts[i], /\(\*[a-z_]+\)/)) {
      member(type, substr(parts[i], RSTART + 2, RLENGTH - 3))
      continue
    }
    gsub(/\[[^]]*\]/, "", parts[i])
    m = split(parts[i], words, ",")
    for (j = 1; j <= m; j++)
      if (match(words[j], /[a-z_0-9]+[ \n]*$/)) {
        gsub(/[ \n]+$/, "", words[j])
        match(words[j], /[a-z_0-9]+$/)
        member(type, substr(words[j], RSTART))
      }
  }
}

function member(type, name)
{
  rows = rows "  printf(\"" type "." name " %zu %zu\\n\", offsetof(" type ", " name "), " \
         "sizeof(((" type " *)0)->" name "));\n"
}

# "int *hymg_name(int a, hymg_grid *b)"
function call(prototype,    name, arguments, words, i, kind, kinds)
{
  match(prototype, /hymg_[a-z0-9_]+[ \n]*\(/)
  name = substr(prototype, RSTART, RLENGTH - 1)
  prototype = substr(prototype, RSTART + RLENGTH)
  arguments = prototype ~ /^void\)/ ? 0 : split(prototype, words, ",")
  for (i = 1; i <= arguments; i++) {
    kind = match(words[i], /hymg_[a-z]+ [*]/) ? substr(words[i], RSTART, RLENGTH - 2) : "-"
    kinds = kinds " " (kind in handles ? kind : "-")
  }
  rows = rows "  printf(\"" name " " arguments kinds "\\n\");\n"
}

END {
  text = without_comments(text)
  n = split(text, pieces, /X\(HYMG_/)
  for (i = 2; i <= n; i++)
    if (match(pieces[i], /^[A-Z]+, [0-9]/))
      constant("HYMG_" substr(pieces[i], 1, RLENGTH - 3))
  n = split(text, pieces, /enum [a-z_]*[ ]?\{/)
  for (i = 2; i <= n; i++)
    constants(substr(pieces[i], 1, index(pieces[i], "}") - 1))
  n = split(text, pieces, /typedef struct hymg_[a-z_]+ \{/)
  for (i = 2; i <= n; i++) {
    match(pieces[i], /\}[ ]hymg_[a-z_]+;/)
    members(substr(pieces[i], RSTART + 2, RLENGTH - 3), substr(pieces[i], 1, RSTART - 1))
  }
  n = split(text, pieces, /typedef struct /)
  for (i = 2; i <= n; i++)
    if (match(pieces[i], /^hymg_[a-z]+ hymg_[a-z]+;/)) {
      split(pieces[i], words, " ")
      handles[words[1]]
      rows = rows "  printf(\"" words[1] " handle %zu\\n\", sizeof(" words[1] " *));\n"
    }
  n = split(text, pieces, /HYMG_API /)
  for (i = 2; i <= n; i++)
    if (pieces[i] ~ /^[a-z]/)
      call(substr(pieces[i], 1, index(pieces[i], ";")))
  print "#include <hymg.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n" rows "  return 0;\n}"
}
