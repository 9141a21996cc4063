/* hymg for C++17: the calls of hymg.h with handles that destroy themselves, failures as exceptions
 * and arrays as spans with strides. Everything here is inline; link the same library.
 *
 * Handles are shared: a copy names the same object, which is destroyed with its last handle, and an
 * object keeps alive what hymg.h wants destroyed after it (the solver its operator, the operator
 * its grid, ...), so handles may go in any order. With several ranks the destruction of a context
 * or solver is collective, as in hymg.h. Descriptions and options are the structs of hymg.h, filled
 * with their defaults. What has no wrapper here is called with get(), inside check(). A monitor is
 * called through C and must not throw. */
#ifndef HYMG_HPP
#define HYMG_HPP

#include "hymg.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace hymg
{

/* ---- errors ---- */

/* A call failed: status, and as what() the library's text, which names the value and the limit. */
class error : public std::runtime_error
{
public:
  error(hymg_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
  hymg_status status() const { return status_; }

private:
  hymg_status status_;
};

/* Throws error unless status is HYMG_OK; the text is that of the context, if there is one. */
inline void check(hymg_status status, const hymg_context *context = nullptr)
{
  if (status == HYMG_OK) return;
  const char *text = context ? hymg_context_error(context) : "";
  throw error(status, *text ? text : hymg_status_text(status));
}

/* ---- descriptions, with their defaults ---- */

struct context_options : hymg_context_options {
  context_options() : hymg_context_options(hymg_context_options_default()) {}
};
struct grid_desc : hymg_grid_desc {
  grid_desc() : hymg_grid_desc(hymg_grid_desc_default()) {}
  /* A box, plane or line of cells by one, two or three numbers, as in grid_desc({64, 48}, 0.1) or, with a spacing per
   * axis, grid_desc({64, 48}, {0.1, 0.2}). To the library all are boxes: axes that are not given have one cell, as wide
   * as the smallest of the others, between Neumann boundaries, so that the operator has no term along them. */
  template <std::size_t axes>
  grid_desc(const int (&cells)[axes], const double (&h)[axes]) : grid_desc()
  {
    static_assert(axes <= 3, "one, two or three axes");
    spacing[0] = h[0];
    for (std::size_t axis = 1; axis < axes; axis++)
      spacing[0] = h[axis] < spacing[0] ? h[axis] : spacing[0];
    spacing[1] = spacing[2] = spacing[0];
    for (std::size_t axis = 0; axis < 3; axis++) {
      n[axis] = axis < axes ? cells[axis] : 1;
      if (axis < axes)
        spacing[axis] = h[axis];
      else
        boundary[2 * axis] = boundary[2 * axis + 1] = HYMG_NEUMANN;
    }
  }
  template <std::size_t axes> grid_desc(const int (&cells)[axes], double h) : grid_desc()
  {
    static_assert(axes <= 3, "one, two or three axes");
    for (std::size_t axis = 0; axis < 3; axis++) {
      n[axis] = axis < axes ? cells[axis] : 1, spacing[axis] = h;
      if (axis >= axes) boundary[2 * axis] = boundary[2 * axis + 1] = HYMG_NEUMANN;
    }
  }
};
struct operator_desc : hymg_operator_desc {
  operator_desc() : hymg_operator_desc(hymg_operator_desc_default()) {}
};
struct options : hymg_options {
  options() : hymg_options(hymg_options_default()) {}
  /* Changes them by text, "smoother=chebyshev sweeps=6". */
  void parse(const std::string &text)
  {
    char why[512] = "";
    const hymg_status status = hymg_options_parse(this, text.c_str(), why, sizeof why);
    if (status != HYMG_OK) throw error(status, why);
  }
};

/* ---- arrays ---- */

using index3 = std::array<int, 3>;
using stride3 = std::array<std::ptrdiff_t, 3>;

/* A brick of count[0] x count[1] x count[2] values that someone else owns, in host or device
 * memory; (i, j, k) is data[i * stride[0] + j * stride[1] + k * stride[2]]. T is double or const
 * double, or float for a field over it. Of a plane or line two numbers or one will do: {f.data(), {nx, ny}}; there is one value
 * along the other axes. */
template <class T> class strided_span
{
public:
  /* With strides of any sign, in elements. */
  strided_span(T *data, index3 count, stride3 stride) : data_(data), count_(count), stride_(stride)
  {
  }
  /* Without gaps, x fastest. */
  strided_span(T *data, index3 count)
      : strided_span(data, count, stride3{1, count[0], std::ptrdiff_t(count[0]) * count[1]})
  {
  }
  template <std::size_t axes>
  strided_span(T *data, const int (&count)[axes], const std::ptrdiff_t (&stride)[axes])
      : strided_span(data, filled<index3>(count, 1), filled<stride3>(stride, 0))
  {
  }
  template <std::size_t axes>
  strided_span(T *data, const int (&count)[axes]) : strided_span(data, filled<index3>(count, 1))
  {
  }
  /* A span of double as one of const double. */
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  strided_span(const strided_span<U> &other)
      : strided_span(other.data(), other.count(), other.stride())
  {
  }
  T *data() const { return data_; }
  const index3 &count() const { return count_; }
  const stride3 &stride() const { return stride_; }
  /* Host memory only. */
  T &operator()(int i, int j = 0, int k = 0) const
  {
    return data_[i * stride_[0] + j * stride_[1] + k * stride_[2]];
  }
  /* The part of `count` values per axis that begins at `low`. */
  strided_span part(const index3 &low, const index3 &count) const
  {
    return {data_ + (low[0] * stride_[0] + low[1] * stride_[1] + low[2] * stride_[2]), count,
            stride_};
  }
  template <std::size_t axes>
  strided_span part(const int (&low)[axes], const int (&count)[axes]) const
  {
    return part(filled<index3>(low, 0), filled<index3>(count, 1));
  }

private:
  template <class Array, class U, std::size_t axes>
  static Array filled(const U (&given)[axes], int rest)
  {
    static_assert(axes <= 3, "one, two or three axes");
    Array all = {rest, rest, rest};
    for (std::size_t axis = 0; axis < axes; axis++)
      all[axis] = given[axis];
    return all;
  }
  T *data_;
  index3 count_;
  stride3 stride_;
};

/* ---- handles ---- */

/* A shared handle of an object of C type T. */
template <class T> class handle
{
public:
  T *get() const { return object_.get(); }
  /* The context of the object, for check() and for calls of hymg.h. */
  hymg_context *raw_context() const { return context_; }

protected:
  /* create(&object) makes the object, which the parents outlive; `context` has the text if that
   * fails. */
  template <class Create, class... Parents>
  handle(const Create &create, void (*destroy)(T **), hymg_context *context,
         const Parents &...parents)
      : context_(context)
  {
    T *object = nullptr;
    check(create(&object), context);
    object_.reset(object, [destroy, keep = std::make_tuple(parents...)](T *o) { destroy(&o); });
    if constexpr (std::is_same_v<T, hymg_context>) context_ = object;
  }
  void must(hymg_status status) const { check(status, context_); }

private:
  hymg_context *context_;
  std::shared_ptr<T> object_;
};

class context : public handle<hymg_context>
{
public:
  /* One rank; for several see hymg_mpi.hpp. */
  explicit context(const context_options &o = {})
      : handle([&](hymg_context **c) { return hymg_context_create(&o, c); }, hymg_context_destroy,
               nullptr)
  {
  }
  /* Takes over a context that the C API made; not NULL. */
  explicit context(hymg_context *owned)
      : handle([=](hymg_context **c) { return *c = owned, HYMG_OK; }, hymg_context_destroy, nullptr)
  {
  }
  int rank() const { return hymg_context_rank(get()); }
  int ranks() const { return hymg_context_ranks(get()); }
  int threads() const { return hymg_context_threads(get()); }
  /* Collective: the largest value of all ranks. */
  double max(double value) const
  {
    must(hymg_context_max(get(), &value));
    return value;
  }
};

class grid : public handle<hymg_grid>
{
public:
  /* Collective. */
  grid(const context &c, const hymg_grid_desc &desc)
      : handle([&](hymg_grid **g) { return hymg_grid_create(c.get(), &desc, g); },
               hymg_grid_destroy, c.get(), c),
        n_{desc.n[0], desc.n[1], desc.n[2]}
  {
  }
  /* Cells per axis, 1 along the axes that a plane or line lacks. */
  const index3 &shape() const { return n_; }
  std::int64_t cells() const { return hymg_grid_cells(get()); }
  /* This rank's bricks: low corner and cells of each. */
  struct brick {
    index3 low, count;
  };
  int bricks() const { return hymg_grid_num_local(get()); }
  brick local(int index) const
  {
    brick b;
    hymg_grid_local(get(), index, b.low.data(), b.count.data());
    return b;
  }

private:
  index3 n_;
};

class solver;

class field : public handle<hymg_field>
{
public:
  /* Zeros, in plain rows, of double or (HYMG_FLOAT) float. */
  explicit field(const grid &g, hymg_centering centering = HYMG_CELL, hymg_space space = HYMG_HOST,
                 hymg_precision precision = HYMG_DOUBLE)
      : handle(
            [&](hymg_field **f) {
              return hymg_field_create_in(g.get(), space, centering, precision, f);
            },
            hymg_field_destroy, g.raw_context(), g)
  {
  }
  /* Zeros, in the layout and memory of a level of the solver; solves use it in place. */
  explicit field(const solver &s, int level = 0);
  /* Over the user's array, neither copied nor owned: the span's brick whose low corner is entry
   * `low` of the grid holds everything that this rank holds. */
  field(const grid &g, const strided_span<double> &array, const index3 &low,
        hymg_centering centering = HYMG_CELL, hymg_space space = HYMG_HOST)
      : field(g, array, low, centering, space, HYMG_DOUBLE)
  {
  }
  field(const grid &g, const strided_span<float> &array, const index3 &low,
        hymg_centering centering = HYMG_CELL, hymg_space space = HYMG_HOST)
      : field(g, array, low, centering, space, HYMG_FLOAT)
  {
  }
  /* Copies in, out: the span's brick whose low corner is entry `low` of the grid, all of it held by
   * this rank; the _own ones leave out what other ranks hold. */
  using to_field = strided_span<const double>;
  using from_field = strided_span<double>;
  void write(const to_field &a, const index3 &low = {}, hymg_space space = HYMG_HOST)
  {
    copy(hymg_field_write, get(), a, low, space);
  }
  void write_own(const to_field &a, const index3 &low = {}, hymg_space space = HYMG_HOST)
  {
    copy(hymg_field_write_own, get(), a, low, space);
  }
  void read(const from_field &a, const index3 &low = {}, hymg_space space = HYMG_HOST) const
  {
    copy(hymg_field_read, get(), a, low, space);
  }
  void read_own(const from_field &a, const index3 &low = {}, hymg_space space = HYMG_HOST) const
  {
    copy(hymg_field_read_own, get(), a, low, space);
  }
  void fill(double value) { must(hymg_field_fill(get(), value)); }
  /* Cells by a list, as hymg_field_put: cells[m] becomes values[m]; those of other ranks are left out. */
  void put(const std::vector<index3> &cells, const std::vector<double> &values)
  {
    if (cells.size() != values.size())
      throw error(HYMG_EINVAL, "put: " + std::to_string(cells.size()) + " cells, but " +
                                   std::to_string(values.size()) + " values");
    const auto *list = reinterpret_cast<const int(*)[3]>(cells.data());
    must(hymg_field_put(get(), int64_t(cells.size()), list, values.data()));
  }
  /* this += a x */
  void axpy(double a, const field &x) { must(hymg_field_axpy(a, x.get(), get())); }
  void scale(double a) { must(hymg_field_scale(a, get())); }
  /* this = x */
  void assign(const field &x) { must(hymg_field_copy(x.get(), get())); }
  /* Collective: sum of products; subtraction of the mean; largest absolute value, root mean square
   * and mean. */
  double dot(const field &y) const
  {
    double sum = 0;
    must(hymg_field_dot(get(), y.get(), &sum));
    return sum;
  }
  void remove_mean() { must(hymg_field_remove_mean(get())); }
  /* Collective: to a .vti or .vtr file; save() below takes several fields. */
  void save(const std::string &file) const { must(hymg_field_save(get(), file.c_str())); }
  double max() const { return reduced(hymg_field_max); }
  double rms() const { return reduced(hymg_field_rms); }
  double mean() const { return reduced(hymg_field_mean); }

private:
  template <class T>
  field(const grid &g, const strided_span<T> &array, const index3 &low, hymg_centering centering,
        hymg_space space, hymg_precision precision)
      : handle(
            [&](hymg_field **f) {
              return hymg_field_wrap(g.get(), space, centering, precision, low.data(),
                                     array.count().data(), array.stride().data(), array.data(), f);
            },
            hymg_field_destroy, g.raw_context(), g)
  {
  }
  template <class Call, class Field, class Span>
  void copy(Call call, Field *f, const Span &a, const index3 &low, hymg_space space) const
  {
    must(call(f, low.data(), a.count().data(), a.stride().data(), a.data(), space));
  }
  double reduced(hymg_status (*reduce)(const hymg_field *, double *)) const
  {
    double value = 0;
    must(reduce(get(), &value));
    return value;
  }
};

/* Collective: coefficients without what is not active, as hymg_mask_coefficients. The fields of beta are those of the
 * faces normal to x, y and z. */
using faces = std::array<field, 3>;
namespace detail
{
inline std::array<hymg_field *, 3> pointers(const faces &f)
{
  return {f[0].get(), f[1].get(), f[2].get()};
}
template <class T, class Handle> std::vector<T *> pointers(const std::vector<Handle> &handles)
{
  std::vector<T *> all;
  for (const Handle &h : handles)
    all.push_back(h.get());
  return all;
}
inline void check_sizes(std::size_t f, std::size_t other)
{
  if (f != other)
    throw error(HYMG_EINVAL, std::to_string(f) + " right-hand sides, but " + std::to_string(other) +
                                 " solutions or solvers");
}
} // namespace detail
inline void mask_coefficients(const field &active, faces &beta, field *alpha = nullptr,
                              field *weight = nullptr)
{
  check(hymg_mask_coefficients(active.get(), alpha ? alpha->get() : nullptr,
                               detail::pointers(beta).data(), weight ? weight->get() : nullptr),
        active.raw_context());
}

/* The geometry of a grid's cells as fields, straight or curved, as hymg_grid_measure. */
struct measures {
  explicit measures(const grid &g)
      : volume(g), area{field(g, HYMG_FACE_X), field(g, HYMG_FACE_Y), field(g, HYMG_FACE_Z)},
        distance{field(g, HYMG_FACE_X), field(g, HYMG_FACE_Y), field(g, HYMG_FACE_Z)}
  {
    check(hymg_grid_measure(g.get(), volume.get(), detail::pointers(area).data(),
                            detail::pointers(distance).data()),
          volume.raw_context());
  }
  field volume;
  faces area, distance;
};

/* A solid body by what it leaves open, and the condition on its surface: the members of hymg_body but the fractions,
 * which it holds as fields. */
class body : public hymg_body
{
public:
  /* All open, a wall. */
  explicit body(const grid &g) : body(g, field(g), face_fields(g))
  {
    volume_.fill(1);
    for (field &f : area_)
      f.fill(1);
  }
  /* From fractions. */
  body(const grid &, const field &open_volume, const faces &open_area)
      : hymg_body(hymg_body_default()), volume_(open_volume), area_(open_area)
  {
    hymg_body::volume = volume_.get();
    for (std::size_t axis = 0; axis < 3; axis++)
      hymg_body::area[axis] = area_[axis].get();
  }
  /* From a signed distance at vertices, positive in the open part; the span's brick of vertices, whose low corner is vertex
   * `low`, has those of all cells of this rank. */
  body(const grid &g, const strided_span<const double> &distance, const index3 &low = {})
      : body(g, field(g), face_fields(g))
  {
    const auto pointers = detail::pointers(area_);
    check(hymg_body_fractions(low.data(), distance.count().data(), distance.stride().data(),
                              distance.data(), volume_.get(), pointers.data()),
          g.raw_context());
  }
  const field &volume_field() const { return volume_; }
  const faces &area_fields() const { return area_; }
  /* Collective: coefficients with the body, as hymg_body_coefficients. */
  void coefficients(double a, double b, faces &beta, field *alpha = nullptr,
                    field *weight = nullptr, field *source = nullptr) const
  {
    check(hymg_body_coefficients(this, a, b, alpha ? alpha->get() : nullptr,
                                 detail::pointers(beta).data(), weight ? weight->get() : nullptr,
                                 source ? source->get() : nullptr),
          volume_.raw_context());
  }

private:
  static faces face_fields(const grid &g)
  {
    return {field(g, HYMG_FACE_X), field(g, HYMG_FACE_Y), field(g, HYMG_FACE_Z)};
  }
  field volume_;
  faces area_;
};
/* f = weight f + source */
inline void body_rhs(const field &weight, const field &source, field &f)
{
  check(hymg_body_rhs(weight.get(), source.get(), f.get()), f.raw_context());
}
inline void body_rhs(const field &weight, field &f)
{
  check(hymg_body_rhs(weight.get(), nullptr, f.get()), f.raw_context());
}

/* Collective: fields of one grid with their names, to a .vti or .vtr file. */
inline void save(const std::vector<std::pair<std::string, field>> &named, const std::string &file)
{
  std::vector<const hymg_field *> fields;
  std::vector<const char *> names;
  for (const auto &[name, f] : named) {
    fields.push_back(f.get());
    names.push_back(name.c_str());
  }
  check(hymg_fields_save(int(fields.size()), fields.data(), names.data(), file.c_str()),
        named.empty() ? nullptr : named.front().second.raw_context());
}

class linear_operator : public handle<hymg_operator>
{
public:
  /* The fields in desc are borrowed until the creation or the last update of a solver. On axes of one cell beta need not
   * be given: it is 1 there where it is a field on others. */
  explicit linear_operator(const hymg::grid &g, const hymg_operator_desc &desc = operator_desc())
      : linear_operator(g, desc, thin_betas(g, desc))
  {
  }
  const hymg::grid &grid() const { return grid_; }
  /* Takes effect with the solver's next update. */
  void set(const hymg_operator_desc &desc)
  {
    const hymg_operator_desc whole = completed(desc, thin_);
    must(hymg_operator_set(get(), &whole));
  }
  hymg_operator_desc desc() const
  {
    hymg_operator_desc d;
    must(hymg_operator_get(get(), &d));
    return d;
  }

private:
  using betas = std::vector<std::pair<int, field>>; /* by axis */
  linear_operator(const hymg::grid &g, const hymg_operator_desc &desc, const betas &thin)
      : handle(
            [&](hymg_operator **o) {
              const hymg_operator_desc whole = completed(desc, thin);
              return hymg_operator_create(g.get(), &whole, o);
            },
            hymg_operator_destroy, g.raw_context(), g),
        grid_(g), thin_(thin)
  {
  }
  static betas thin_betas(const hymg::grid &g, const hymg_operator_desc &desc)
  {
    betas made;
    const bool varies = desc.beta[0] || desc.beta[1] || desc.beta[2];
    for (int axis = 0; axis < 3; axis++)
      if (varies && g.shape()[std::size_t(axis)] == 1 && !desc.beta[axis]) {
        made.emplace_back(axis, field(g, hymg_centering(HYMG_FACE_X + axis)));
        made.back().second.fill(1);
      }
    return made;
  }
  static hymg_operator_desc completed(hymg_operator_desc desc, const betas &thin)
  {
    for (const auto &[axis, ones] : thin)
      if (!desc.beta[axis]) desc.beta[axis] = ones.get();
    return desc;
  }
  hymg::grid grid_;
  betas thin_;
};

class solver : public handle<hymg_solver>
{
public:
  /* Collective. */
  explicit solver(const linear_operator &op, const hymg_options &o = options())
      : handle([&](hymg_solver **s) { return hymg_solver_create(op.get(), &o, s); },
               hymg_solver_destroy, op.raw_context(), op),
        operator_(op)
  {
  }
  const linear_operator &op() const { return operator_; }
  /* Collective: after linear_operator::set, or when fields have changed. */
  void update() { must(hymg_solver_update(get())); }
  /* Collective: A u = f. Not to converge is a result, not an exception; what it points to is the
   * solver's, until its next solve. */
  hymg_result solve(const field &f, field &u)
  {
    hymg_result result;
    must(hymg_solve(get(), f.get(), u.get(), &result));
    return result;
  }
  /* Collective: A u[m] = f[m] for each m, as that many solves. Throws the first failure when all have been made; results[m] has the
   * status of each. Not to converge is a result. */
  void solve_many(const std::vector<field> &f, std::vector<field> &u,
                  std::vector<hymg_result> &results)
  {
    const auto fs = detail::pointers<const hymg_field>(f);
    const auto us = detail::pointers<hymg_field>(u);
    detail::check_sizes(f.size(), u.size());
    results.assign(f.size(), hymg_result{});
    must(hymg_solve_many(get(), int(f.size()), fs.data(), us.data(), results.data()));
  }
  /* Collective: one cycle for A u = f from zero, or from u, without norms and tests. */
  void cycle(const field &f, field &u, bool from_u = false, hymg_cycle kind = HYMG_CYCLE_DEFAULT)
  {
    must(hymg_solver_cycle(get(), kind, from_u, f.get(), u.get()));
  }
  /* Collective: y = A x, homogeneous boundaries; r = f - A u. */
  void apply(const field &x, field &y, int level = 0)
  {
    must(hymg_apply(get(), level, x.get(), y.get()));
  }
  void residual(const field &f, const field &u, field &r, int level = 0)
  {
    must(hymg_residual(get(), level, f.get(), u.get(), r.get()));
  }
  /* Collective: the fluxes -b beta grad u through the faces normal to x, y and z, into fields HYMG_FACE_X, _Y and _Z
   * of the grid; FV2. */
  void fluxes(const field &u, field &x) { fluxes(u, {x.get(), nullptr, nullptr}); }
  void fluxes(const field &u, field &x, field &y) { fluxes(u, {x.get(), y.get(), nullptr}); }
  void fluxes(const field &u, field &x, field &y, field &z)
  {
    fluxes(u, {x.get(), y.get(), z.get()});
  }
  /* Collective: what may slow down or spoil the solves, one line each; result: of the last solve. */
  std::string advice(const hymg_result *result = nullptr)
  {
    std::vector<char> text(HYMG_ADVICE);
    must(hymg_solver_advice(get(), result, text.data(), text.size()));
    return text.data();
  }
  /* all, and those that nothing holds */
  std::pair<int64_t, int64_t> pieces() const
  {
    int64_t singular = 0;
    const int64_t all = hymg_solver_pieces(get(), &singular);
    return {all, singular};
  }
  int levels() const { return hymg_solver_num_levels(get()); }
  hymg_path path() const { return hymg_solver_path(get(), nullptr); }

private:
  void fluxes(const field &u, const std::array<hymg_field *, 3> &flux)
  {
    must(hymg_fluxes(get(), u.get(), flux.data()));
  }
  linear_operator operator_;
};

/* Systems of solvers of their own, as hymg_solve_batch: those of different contexts work at the same time where that is faster.
 * Throws the first failure when all have been tried; results[m] has the status of each. */
inline void solve_batch(const std::vector<solver> &solvers, const std::vector<field> &f,
                        std::vector<field> &u, std::vector<hymg_result> &results)
{
  const auto ss = detail::pointers<hymg_solver>(solvers);
  const auto fs = detail::pointers<const hymg_field>(f);
  const auto us = detail::pointers<hymg_field>(u);
  detail::check_sizes(f.size(), u.size());
  detail::check_sizes(f.size(), solvers.size());
  results.assign(f.size(), hymg_result{});
  const hymg_status status =
      hymg_solve_batch(int(f.size()), ss.data(), fs.data(), us.data(), results.data());
  for (std::size_t m = 0; m < results.size(); m++)
    check(results[m].status, solvers[m].raw_context());
  check(status);
}

inline field::field(const solver &s, int level)
    : handle(
          [&](hymg_field **f) {
            if (level) return hymg_field_create_on_level(s.get(), level, f);
            return hymg_field_create(s.op().grid().get(), s.get(), HYMG_CELL, HYMG_DOUBLE, f);
          },
          hymg_field_destroy, s.raw_context(), s.op().grid())
{
}

} // namespace hymg
#endif
