// The inner loops of attention's weights, eight keys of one row at a time: scores with their bounds, and what softmax
// makes of them. Rows are as long as whole lanes; behind the last key a score is -Inf and a weight 0.
#pragma once
#include <cstddef>
#include <vector>

#include "ops/lanes/product_sums.h"

namespace warpfuzz {

// The bound of a score from its sum S of |q k| and the drift of its sums:
//   E = (min(first u S, second u S + kap D) + absolute + sum_share S) scale + relative |score|.
struct ScoreForm {
  double scale = 1, first = 0, second = 0, kap = 0;
  double other_unit = 0;  // of the drift of other products; 0: there are none
  double sum_share = 0, absolute = 0, relative = 0;
  // S, and |sum of q k| with its bound, from which on a score may overflow.
  double largest_sum = 0, largest_value = 0;
  bool drift = false;  // otherwise both tiers are first u S, and e_rig is not set
};
struct ScoreRow {
  std::vector<double> score, e, e_rig;
  double max = 0;
  bool overflow = false, ill = false;  // some score may overflow, or has an argument of more than kLargestArgument
};
inline constexpr double kLargestArgument = 60;  // of 4u|score|: beyond it the prescaled exp2 form rounds into nonsense

void score_row(const ScoreForm& form, const ProductSums& sums, std::size_t keys, ScoreRow& row);

// t = exp(score - max), t times its relative error in both tiers, and the sums of the three.
struct WeightRow {
  std::vector<double> t, t_rel, t_rel_rig;
  std::vector<float> p;  // t / sum in fp32
  double sum = 0, error = 0, error_rig = 0;
  bool loose = false, loose_rig = false;  // a weight that counts has an error above 1/4
};
// two_tiers: otherwise e_rig is e, and t_rel_rig stays empty. argument_floor: the least error of an argument of exp.
void weigh_row(const ScoreRow& scores, std::size_t keys, bool two_tiers, double argument_floor, WeightRow& row);

// The relative error of exp(score - max) from the bound of the score, before exp's own.
double argument_error(double score, double max, double argument_floor);

}  // namespace warpfuzz
