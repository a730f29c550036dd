// What sandbox::MovesTrees asks for, by way of an agent.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "guest/client/client.h"
#include "sandbox/moves_trees.h"

namespace paddock::guest {

Status PackDirectory(Client& client, const std::string& directory, const std::function<Status(std::string_view)>& sink);
// What is in the directory goes at once. The client outlives the writer.
Result<std::unique_ptr<sandbox::TreeWriter>> UnpackDirectory(Client& client, const std::string& directory);

}  // namespace paddock::guest
