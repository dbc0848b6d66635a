// Math functions beyond the C library, against values computed with 40 digits.
#include <map>

#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

struct Value {
  const char* function;
  double x, y;
};
constexpr Value kValues[] = {
    {"normcdfinv", 1e-300, -37.0470962993612},
    {"normcdfinv", 1e-20, -9.262340089798407},
    {"normcdfinv", 1e-05, -4.264890793922825},
    {"normcdfinv", 0.025, -1.9599639845400543},
    {"normcdfinv", 0.3, -0.5244005127080408},
    {"normcdfinv", 0.5, 0.0},
    {"normcdfinv", 0.75, 0.6744897501960817},
    {"normcdfinv", 0.975, 1.9599639845400538},
    {"normcdfinv", 0.999999, 4.753424308817087},
    {"erfinv", 1e-12, 8.86226925452758e-13},
    {"erfinv", -1e-12, -8.86226925452758e-13},
    {"erfinv", 0.001, 0.0008862271574665521},
    {"erfinv", -0.001, -0.0008862271574665521},
    {"erfinv", 0.1, 0.08885599049425769},
    {"erfinv", -0.1, -0.08885599049425769},
    {"erfinv", 0.5, 0.4769362762044699},
    {"erfinv", -0.5, -0.4769362762044699},
    {"erfinv", 0.9, 1.1630871536766743},
    {"erfinv", -0.9, -1.1630871536766743},
    {"erfinv", 0.999, 2.3267537655135246},
    {"erfinv", -0.999, -2.3267537655135246},
    {"erfinv", 0.9999999, 3.7665625816384707},
    {"erfinv", -0.9999999, -3.7665625816384707},
    {"erfcinv", 1e-300, 26.209469960516124},
    {"erfcinv", 1e-30, 8.148616223169865},
    {"erfcinv", 1e-05, 3.123413274340875},
    {"erfcinv", 0.2, 0.9061938024368232},
    {"erfcinv", 0.7, 0.2724627147267544},
    {"erfcinv", 1.0, 0.0},
    {"erfcinv", 1.3, -0.2724627147267544},
    {"erfcinv", 1.9, -1.1630871536766738},
    {"erfcinv", 1.999, -2.3267537655135464},
    {"erfcx", -5.0, 144009798674.66104},
    {"erfcx", -1.0, 5.008980080762283},
    {"erfcx", 0.0, 1.0},
    {"erfcx", 0.5, 0.6156903441929259},
    {"erfcx", 2.0, 0.25539567631050575},
    {"erfcx", 4.9, 0.11287909055975874},
    {"erfcx", 5.1, 0.1086110263139328},
    {"erfcx", 10.0, 0.05614099274382259},
    {"erfcx", 100.0, 0.005641613782989433},
    {"erfcx", 1000000.0, 5.641895835474742e-07},
    {"normcdf", -9.0, 1.1285884059538405e-19},
    {"normcdf", -2.0, 0.02275013194817921},
    {"normcdf", -0.1, 0.460172162722971},
    {"normcdf", 0.0, 0.5},
    {"normcdf", 0.1, 0.539827837277029},
    {"normcdf", 1.96, 0.9750021048517795},
    {"normcdf", 6.0, 0.9999999990134123},
    {"cyl_bessel_i0", 0.0, 1.0},
    {"cyl_bessel_i1", 0.0, 0.0},
    {"cyl_bessel_i0", 0.3, 1.022626879351597},
    {"cyl_bessel_i1", 0.3, 0.15169384000359276},
    {"cyl_bessel_i0", -1.0, 1.2660658777520084},
    {"cyl_bessel_i1", -1.0, -0.565159103992485},
    {"cyl_bessel_i0", 5.0, 27.239871823604446},
    {"cyl_bessel_i1", 5.0, 24.335642142450528},
    {"cyl_bessel_i0", 30.0, 781672297823.9775},
    {"cyl_bessel_i1", 30.0, 768532038938.957},
    {"cyl_bessel_i0", 200.0, 2.0396871734097245e+85},
    {"cyl_bessel_i1", 200.0, 2.034581549332063e+85},
    {"cyl_bessel_i0", 700.0, 1.5295933476718737e+302},
    {"cyl_bessel_i1", 700.0, 1.5285003902339006e+302},
    {"sinpi", 0.1, 0.30901699437494745},
    {"cospi", 0.1, 0.9510565162951535},
    {"sinpi", -0.3, -0.8090169943749475},
    {"cospi", -0.3, 0.5877852522924731},
    {"sinpi", 0.6, 0.9510565162951536},
    {"cospi", 0.6, -0.30901699437494734},
    {"sinpi", 1.1, -0.3090169943749477},
    {"cospi", 1.1, -0.9510565162951535},
    {"sinpi", -1.7, 0.8090169943749475},
    {"cospi", -1.7, 0.587785252292473},
    {"sinpi", 1.9, -0.3090169943749477},
    {"cospi", 1.9, 0.9510565162951535},
    {"sinpi", 1000001.25, -0.7071067811865476},
    {"cospi", 1000001.25, -0.7071067811865476},
    {"sinpi", 4503599627370495.5, -1.0},
    {"cospi", 4503599627370495.5, 0.0},
    {"rsqrt", 3.0, 0.5773502691896257},
    {"rcbrt", 3.0, 0.6933612743506347},
    {"rsqrt", 0.01, 10.0},
    {"rcbrt", 0.01, 4.641588833612779},
    {"rsqrt", 1e+200, 1e-100},
    {"rcbrt", 1e+200, 2.1544346900318838e-67},
};

double call(const std::string& name, double x) {
  static const std::map<std::string, double (*)(double)> functions = {
      {"normcdfinv", [](double v) { return normcdfinv(v); }},
      {"erfinv", [](double v) { return erfinv(v); }},
      {"erfcinv", [](double v) { return erfcinv(v); }},
      {"erfcx", [](double v) { return erfcx(v); }},
      {"normcdf", [](double v) { return normcdf(v); }},
      {"cyl_bessel_i0", [](double v) { return cyl_bessel_i0(v); }},
      {"cyl_bessel_i1", [](double v) { return cyl_bessel_i1(v); }},
      {"sinpi", [](double v) { return sinpi(v); }},
      {"cospi", [](double v) { return cospi(v); }},
      {"rsqrt", [](double v) { return rsqrt(v); }},
      {"rcbrt", [](double v) { return rcbrt(v); }}};
  return functions.at(name)(x);
}

TEST(SpecialMath, AgreesWithFortyDigits) {
  for (const Value& v : kValues) {
    const double got = call(v.function, v.x);
    // Ill-conditioned in places: an input's own rounding moves normcdfinv(0.999999) by more than a unit in the last place.
    EXPECT_NEAR(got, v.y, std::max(1e-300, 2e-14 * std::fabs(v.y))) << v.function << "(" << v.x << ")";
  }
}

TEST(SpecialMath, InversesInvert) {
  for (double p = 0.001; p < 1.0; p += 0.001) {
    EXPECT_NEAR(normcdf(normcdfinv(p)), p, 4e-15);
    EXPECT_NEAR(erf(erfinv(2 * p - 1)), 2 * p - 1, 4e-15);
    EXPECT_NEAR(erfc(erfcinv(2 * p)), 2 * p, 4e-15);
  }
}

TEST(SpecialMath, EdgesOfTheDomains) {
  EXPECT_EQ(erfinv(1.0), INFINITY);
  EXPECT_EQ(erfinv(-1.0), -INFINITY);
  EXPECT_TRUE(std::isnan(erfinv(1.5)));
  EXPECT_EQ(erfcinv(0.0), INFINITY);
  EXPECT_EQ(erfcinv(2.0), -INFINITY);
  EXPECT_TRUE(std::isnan(erfcinv(-0.1)));
  EXPECT_EQ(normcdfinv(0.0), -INFINITY);
  EXPECT_EQ(normcdfinv(1.0), INFINITY);
  EXPECT_EQ(normcdf(INFINITY), 1.0);
  EXPECT_EQ(normcdf(-INFINITY), 0.0);
  EXPECT_EQ(sinpi(3.0), 0.0);
  EXPECT_TRUE(std::signbit(sinpi(-3.0)));
  EXPECT_EQ(cospi(0.5), 0.0);
  EXPECT_EQ(cospi(1e300), 1.0);
  EXPECT_TRUE(std::isnan(sinpi(INFINITY)));
  EXPECT_EQ(rsqrtf(0.0f), INFINITY);
  EXPECT_TRUE(std::isnan(rsqrtf(-1.0f)));
  EXPECT_EQ(rsqrtf(INFINITY), 0.0f);
  EXPECT_EQ(erfcx(-30.0), INFINITY);
  EXPECT_EQ(cyl_bessel_i0(0.0), 1.0);
}

TEST(SpecialMath, FloatFormsRoundTheDouble) {
  for (float x : {0.1f, 0.4f, 0.9f}) {
    EXPECT_EQ(rsqrtf(x), float(1.0 / std::sqrt(double(x))));
    EXPECT_EQ(rsqrt(x), rsqrtf(x));
    EXPECT_EQ(rcbrtf(x), float(1.0 / std::cbrt(double(x))));
    EXPECT_EQ(normcdff(x), float(normcdf(double(x))));
    EXPECT_EQ(erfinvf(x), float(erfinv(double(x))));
    EXPECT_EQ(erfcinvf(x), float(erfcinv(double(x))));
    EXPECT_EQ(sinpif(x), float(sinpi(double(x))));
    EXPECT_EQ(exp10f(x), exp10(x));
  }
  static_assert(std::is_same_v<decltype(rsqrt(1.0f)), float> && std::is_same_v<decltype(exp10(1.0f)), float>);
  static_assert(std::is_same_v<decltype(sqrt(1.0f)), float> && std::is_same_v<decltype(exp(1.0f)), float>);
}

TEST(SpecialMath, Norms) {
  EXPECT_DOUBLE_EQ(norm3d(2, 3, 6), 7);
  EXPECT_DOUBLE_EQ(rnorm3d(2, 3, 6), 1.0 / 7);
  EXPECT_DOUBLE_EQ(norm4d(1, 1, 1, 1), 2);
  EXPECT_FLOAT_EQ(norm3df(2, 3, 6), 7);
  EXPECT_FLOAT_EQ(rhypotf(3, 4), 0.2f);
  const float p[] = {1, 2, 2, 4};
  EXPECT_FLOAT_EQ(normf(4, p), 5);
  EXPECT_FLOAT_EQ(rnormf(4, p), 0.2f);
  EXPECT_DOUBLE_EQ(norm3d(3e200, 4e200, 0), 5e200) << "no overflow in between";
  EXPECT_EQ(norm3d(INFINITY, NAN, 0), INFINITY);
  float s, c;
  sincospif(0.25f, &s, &c);
  EXPECT_FLOAT_EQ(s, c);
}

}  // namespace
}  // namespace warpfuzz::cpu
