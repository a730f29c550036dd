#include "vfs/pipe.h"

#include "vfs/pipe_queue.h"

namespace paddock::vfs {

PipeEnds MakePipe(Scheduler& scheduler, size_t capacity) {
  auto queue = std::make_shared<PipeQueue>(scheduler, capacity);
  const uint64_t number = scheduler.NextNumber();
  const Nanoseconds now = scheduler.clock().RealNow();
  auto attributes = [number, now]() -> Result<Attributes> {
    Attributes result;
    result.type = FileType::kFifo;
    result.mode = 0600;
    result.inode = number;
    result.device = kPipeDevice;
    result.access_time = result.modify_time = result.change_time = now;
    return result;
  };
  const PipeEnd::Origin origin{"pipe:[" + std::to_string(number) + "]", attributes};
  PipeEnds ends;
  ends.read = std::make_shared<PipeEnd>(queue, true, false, origin);
  ends.write = std::make_shared<PipeEnd>(std::move(queue), false, true, origin);
  return ends;
}

}  // namespace paddock::vfs
