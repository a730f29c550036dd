// The functions of the C mathematics library.
#include <cmath>

#include "lang/jq/native_tables.h"
#include "base/budget.h"

namespace paddock::jq {
namespace {

Value NeedsNumber(NativeContext& context, const Value& value) {
  return context.Fail(Describe(value, context.budget) + " number required");
}

template <double (*kFunction)(double)>
Value Unary(NativeContext& context, Value* a) {
  return a[0].is_number() ? Value::Number(kFunction(a[0].number())) : NeedsNumber(context, a[0]);
}

template <double (*kFunction)(double, double)>
Value OfTwo(NativeContext& context, Value* a) {
  for (size_t i = 1; i <= 2; ++i) {
    if (!a[i].is_number()) return NeedsNumber(context, a[i]);
  }
  return Value::Number(kFunction(a[1].number(), a[2].number()));
}

Value Fma(NativeContext& context, Value* a) {
  for (size_t i = 1; i <= 3; ++i) {
    if (!a[i].is_number()) return NeedsNumber(context, a[i]);
  }
  return Value::Number(std::fma(a[1].number(), a[2].number(), a[3].number()));
}

Value Pair(double first, double second) {
  Value pair = Value::Array(2);
  pair.Append(Value::Number(first));
  pair.Append(Value::Number(second));
  return pair;
}

Value Frexp(NativeContext& context, Value* a) {
  if (!a[0].is_number()) return NeedsNumber(context, a[0]);
  int exponent = 0;
  const double fraction = std::frexp(a[0].number(), &exponent);
  return Pair(fraction, std::isfinite(a[0].number()) ? exponent : 0);
}

Value Modf(NativeContext& context, Value* a) {
  if (!a[0].is_number()) return NeedsNumber(context, a[0]);
  double whole = 0;
  const double fraction = std::modf(a[0].number(), &whole);
  return Pair(fraction, whole);
}

Value LgammaR(NativeContext& context, Value* a) {
  if (!a[0].is_number()) return NeedsNumber(context, a[0]);
  int sign = 1;
  const double result = ::lgamma_r(a[0].number(), &sign);
  return Pair(result, sign);
}

int ToInt(double number) {
  if (std::isnan(number)) return 0;
  return number > 1e9 ? 1000000000 : (number < -1e9 ? -1000000000 : static_cast<int>(number));
}

double Lgamma(double x) {
  int sign = 1;   // the plain function keeps it in a global
  return ::lgamma_r(x, &sign);
}
double Pow10(double x) { return std::pow(10.0, x); }
double Significand(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  return std::scalbln(x, -static_cast<long>(std::logb(x)));
}
double Ldexp(double x, double e) { return std::ldexp(x, ToInt(e)); }
double Scalb(double x, double e) {
  if (std::isfinite(e) && e == std::trunc(e)) return std::scalbln(x, ToInt(e));
  return std::isinf(e) ? (e > 0 ? x * e : x / -e) : std::nan("");
}
double Scalbln(double x, double e) { return std::scalbln(x, ToInt(e)); }
double Jn(double n, double x) { return ::jn(std::abs(n) > 1e6 ? 1000000 : ToInt(n), x); }
double Yn(double n, double x) { return ::yn(std::abs(n) > 1e6 ? 1000000 : ToInt(n), x); }
double NextToward(double x, double y) { return std::nexttoward(x, static_cast<long double>(y)); }

Value Abs(NativeContext& context, Value* a) {
  if (a[0].is_number()) return a[0].number() < 0 ? Value::Number(-a[0].number()) : a[0];
  if (a[0].kind() >= Kind::kString) return a[0];
  return context.Fail(Describe(a[0], context.budget) + " cannot be negated");
}

constexpr Native kNatives[] = {
    {"abs", 0, Abs},
    {"acos", 0, Unary<std::acos>},         {"acosh", 0, Unary<std::acosh>},   {"asin", 0, Unary<std::asin>},
    {"asinh", 0, Unary<std::asinh>},       {"atan", 0, Unary<std::atan>},     {"atanh", 0, Unary<std::atanh>},
    {"cbrt", 0, Unary<std::cbrt>},         {"ceil", 0, Unary<std::ceil>},     {"cos", 0, Unary<std::cos>},
    {"cosh", 0, Unary<std::cosh>},         {"erf", 0, Unary<std::erf>},       {"erfc", 0, Unary<std::erfc>},
    {"exp", 0, Unary<std::exp>},           {"exp10", 0, Unary<Pow10>},        {"exp2", 0, Unary<std::exp2>},
    {"expm1", 0, Unary<std::expm1>},       {"fabs", 0, Unary<std::fabs>},     {"floor", 0, Unary<std::floor>},
    {"gamma", 0, Unary<Lgamma>},           {"j0", 0, Unary<::j0>},            {"j1", 0, Unary<::j1>},
    {"lgamma", 0, Unary<Lgamma>},          {"log", 0, Unary<std::log>},       {"log10", 0, Unary<std::log10>},
    {"log1p", 0, Unary<std::log1p>},       {"log2", 0, Unary<std::log2>},     {"logb", 0, Unary<std::logb>},
    {"nearbyint", 0, Unary<std::nearbyint>}, {"pow10", 0, Unary<Pow10>},      {"rint", 0, Unary<std::rint>},
    {"round", 0, Unary<std::round>},       {"significand", 0, Unary<Significand>}, {"sin", 0, Unary<std::sin>},
    {"sinh", 0, Unary<std::sinh>},         {"sqrt", 0, Unary<std::sqrt>},     {"tan", 0, Unary<std::tan>},
    {"tanh", 0, Unary<std::tanh>},         {"tgamma", 0, Unary<std::tgamma>}, {"trunc", 0, Unary<std::trunc>},
    {"y0", 0, Unary<::y0>},                {"y1", 0, Unary<::y1>},
    {"atan2", 2, OfTwo<std::atan2>},       {"copysign", 2, OfTwo<std::copysign>}, {"drem", 2, OfTwo<std::remainder>},
    {"fdim", 2, OfTwo<std::fdim>},         {"fmax", 2, OfTwo<std::fmax>},     {"fmin", 2, OfTwo<std::fmin>},
    {"fmod", 2, OfTwo<std::fmod>},         {"hypot", 2, OfTwo<std::hypot>},   {"jn", 2, OfTwo<Jn>},
    {"ldexp", 2, OfTwo<Ldexp>},            {"nextafter", 2, OfTwo<std::nextafter>},
    {"nexttoward", 2, OfTwo<NextToward>},  {"pow", 2, OfTwo<std::pow>},       {"remainder", 2, OfTwo<std::remainder>},
    {"scalb", 2, OfTwo<Scalb>},            {"scalbln", 2, OfTwo<Scalbln>},    {"yn", 2, OfTwo<Yn>},
    {"fma", 3, Fma},
    {"frexp", 0, Frexp},                   {"modf", 0, Modf},                 {"lgamma_r", 0, LgammaR},
};

}  // namespace

std::span<const Native> MathNatives() { return kNatives; }

}  // namespace paddock::jq
