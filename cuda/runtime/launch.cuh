/* From runtime values to template arguments. */
#ifndef HYMGI_RUNTIME_LAUNCH_CUH
#define HYMGI_RUNTIME_LAUNCH_CUH

#include <type_traits>

namespace
{

/* Calls call(...) with std::true_type() or std::false_type() for each value. */
template <typename Call> void with_bools(const Call &call)
{
  call();
}
template <typename Call, typename... Others>
void with_bools(const Call &call, bool first, Others... others)
{
  if (first)
    with_bools([&](auto... o) { call(std::true_type(), o...); }, others...);
  else
    with_bools([&](auto... o) { call(std::false_type(), o...); }, others...);
}

} /* namespace */

#endif
