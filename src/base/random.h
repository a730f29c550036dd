// Random bytes from the machine.
#pragma once

#include <cstdint>
#include <span>

namespace paddock {

// Fills `bytes` from the kernel's generator. Any thread.
void FillRandom(std::span<uint8_t> bytes);

}  // namespace paddock
