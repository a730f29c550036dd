#pragma once
#include "net/poller.h"
namespace paddock::net {
class PushStream : public Pollable { public: virtual void Begin() = 0; };
}
