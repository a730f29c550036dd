// What a connection needs of the engine.
#pragma once

namespace paddock::egress {

class CertificateAuthority;
class Gate;
class SecretStore;
class UpstreamTrust;

struct Services {
  Gate& gate;
  SecretStore& secrets;
  CertificateAuthority& authority;
  UpstreamTrust& trust;
};

}  // namespace paddock::egress
