// Names and ids as engines take them.
#pragma once

#include <string>
#include <string_view>

namespace paddock::docker {

// 64 hexadecimal digits in lower case: the only form that is ever put into a path. Engines take names, beginnings of ids and even single
// digits for ids, and one of those could be somebody else's.
bool IsFullId(std::string_view text);

// PREFIX-<16 hexadecimal digits of the session's SHA-256>-sandbox, with "-NAME" behind it unless that is empty. The digest keeps apart
// sessions with the same beginning, and tells nobody the session's id.
std::string ContainerName(std::string_view prefix, std::string_view session, std::string_view name);
// sandbox-<the same digits>, with "-NAME".
std::string NetworkName(std::string_view session, std::string_view name);

// The full form of an image's reference: "ubuntu" is "docker.io/library/ubuntu:latest". Empty for what is none.
std::string FullReference(std::string_view reference);

}  // namespace paddock::docker
