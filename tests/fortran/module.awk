# The modules of fortran/ -> a Fortran program that prints the same rows as that of header.awk, and then for each type
# in DEFAULTS (names with a space) `default type.member`, if default initialisation differs from type_default().

/&$/ { line = line substr($0, 1, length($0) - 1); next }
{ line = line $0; statement(line); line = "" }

function statement(s)
{
  if (s ~ /^ *!/) return
  if (s ~ /enumerator ::|integer\(c_int\), parameter ::/) constants(s)
  else if (s ~ /^ *type, bind\(c\) ::/) begin_type(s)
  else if (s ~ /^ *end type/) end_type()
  else if (type && s ~ /::/) members(s)
  else if (s ~ /bind\(c/ && s ~ /(function|subroutine) /) begin_call(s)
  else if (called && s ~ /^ *type\(hymg_[a-z]+\).*::/) handle_arguments(s)
  else if (called && s ~ /^ *end (function|subroutine)/) end_call()
}

function constants(s,    words, n, i)
{
  n = split(s, words, ",")
  for (i = 1; i <= n; i++)
    if (match(words[i], /HYMG_[A-Z0-9_]+/))
      add("print '(a,i0)', '" substr(words[i], RSTART, RLENGTH) " ', " substr(words[i], RSTART, RLENGTH))
}

function begin_type(s)
{
  type = s
  sub(/.*:: */, "", type)
  declarations = declarations "  type(" type "), target :: x_" type ", d_" type "\n"
  sized = 0
  defaults = index(" " DEFAULTS " ", " " type " ")
  if (defaults) add("d_" type " = " type "_default()")
}

function end_type() { type = "" }

function members(s,    words, n, i, member)
{
  sub(/.*:: */, "", s)
  gsub(/\([^)]*\)/, "", s)
  n = split(s, words, ",")
  for (i = 1; i <= n; i++) {
    sub(/=.*/, "", words[i])
    gsub(/ /, "", words[i])
    if (!sized++) add("print '(a,i0)', '" type (words[i] == "ptr" ? " handle" : "") " ', c_sizeof(x_" type ")")
    if (words[i] == "ptr") { is_handle[type]; continue }
    member = "x_" type "%" words[i]
    add("call row('" type "." words[i] "', c_loc(x_" type "), c_loc(" member "), c_sizeof(" member "))")
    if (defaults)
      add("call compare('" type "." words[i] "', c_loc(" member "), c_loc(d_" type "%" words[i] "), " \
          "c_sizeof(" member "))")
  }
}

function begin_call(s,    name)
{
  name = s
  if (s ~ /name='/) { sub(/.*name='/, "", name); sub(/'.*/, "", name) }
  else { sub(/.*(function|subroutine) /, "", name); sub(/\(.*/, "", name) }
  if (name !~ /^hymg_/) return
  called = name
  sub(/\) *bind\(c.*/, "", s)
  sub(/^.*(function|subroutine) [a-z0-9_]*\(/, "", s)
  gsub(/ /, "", s)
  count = split(s, argument, ",")
}

# "type(hymg_field), value :: f, u(3)"
function handle_arguments(s,    kind, words, n, i)
{
  kind = s
  sub(/^ *type\(/, "", kind)
  sub(/\).*/, "", kind)
  sub(/.*:: */, "", s)
  gsub(/\([^)]*\)| /, "", s)
  n = split(s, words, ",")
  for (i = 1; i <= n; i++)
    if (kind in is_handle) handle[words[i]] = kind
}

function end_call(    i, kinds)
{
  for (i = 1; i <= count; i++) kinds = kinds " " (argument[i] in handle ? handle[argument[i]] : "-")
  add("print '(a)', '" called " " count kinds "'")
  split("", handle)
  called = ""
}

function add(s) { rows = rows "  " s "\n" }

END {
  print "program rows\n  use hymg\n  implicit none\n" declarations rows "contains"
  print "  subroutine row(name, start, member, bytes)"
  print "    character(*), intent(in) :: name"
  print "    type(c_ptr), intent(in) :: start, member"
  print "    integer(c_size_t), intent(in) :: bytes"
  print "    integer(c_ptrdiff_t) :: from, to"
  print "    from = transfer(start, from)"
  print "    to = transfer(member, to)"
  print "    print '(a,1x,i0,1x,i0)', name, to - from, bytes"
  print "  end subroutine"
  print "  subroutine compare(name, a, b, bytes)"
  print "    character(*), intent(in) :: name"
  print "    type(c_ptr), intent(in) :: a, b"
  print "    integer(c_size_t), intent(in) :: bytes"
  print "    integer(c_int8_t), pointer :: x(:), y(:)"
  print "    call c_f_pointer(a, x, [bytes])"
  print "    call c_f_pointer(b, y, [bytes])"
  print "    if (any(x /= y)) print '(2a)', 'default ', name"
  print "  end subroutine"
  print "end program"
}
