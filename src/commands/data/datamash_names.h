// The operations by number, for datamash's own files.
#pragma once

#include "commands/data/datamash.h"

namespace paddock::datamash {

enum class LineOperation {
  kBase64, kDebase64, kMd5, kSha1, kSha224, kSha256, kSha384, kSha512, kBin, kStrbin, kRound, kFloor, kCeil, kTrunc, kFrac,
  kDirname, kBasename, kBarename, kExtname, kGetnum, kCut,
};

enum class GroupOperation {
  kSum, kMin, kMax, kAbsMin, kAbsMax, kRange, kCount, kFirst, kLast, kRand, kUnique, kCollapse, kCountUnique,
  kMean, kGeoMean, kHarmMean, kTrimMean, kMedian, kQ1, kQ3, kIqr, kPerc, kMode, kAntimode, kPstdev, kSstdev, kPvar, kSvar,
  kMad, kMadRaw, kPskew, kSskew, kPkurt, kSkurt, kDpo, kJarque, kPcov, kScov, kPpearson, kSpearson,
};

}  // namespace paddock::datamash
