locals {
  # A host name in lower case with at least one dot. It admits no braces, which the chart would take for a template.
  dns_name = "([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?"
}

variable "prometheus_namespace" {
  description = "Namespace for the metrics monitor object; empty for none, where the cluster has no ServiceMonitor kind."
  type        = string
  default     = "monitoring"
  nullable    = false

  validation {
    condition     = can(regex("^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$", var.prometheus_namespace))
    error_message = "prometheus_namespace must be the name of a namespace (lower-case letters, digits and dashes), or empty."
  }
}

variable "auth_ingress_class_name" {
  description = "Ingress class that serves the proxy's host."
  type        = string
  default     = "nginx"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", var.auth_ingress_class_name))
    error_message = "auth_ingress_class_name must be the name of an IngressClass, such as nginx."
  }
}

variable "auth_ingress_enable_tls" {
  description = "Enable TLS: https addresses, a Secure cookie and the certificate of the secret oauth2-proxy-tls."
  type        = bool
  default     = true
  nullable    = false
}

variable "auth_oauth2_proxy_host" {
  description = "Host name of the proxy, without scheme, port or path."
  type        = string
  default     = "auth.example.com"
  nullable    = false

  validation {
    condition     = can(regex("^${local.dns_name}$", var.auth_oauth2_proxy_host))
    error_message = "auth_oauth2_proxy_host must be a lower-case host name such as auth.example.com, without https:// and port."
  }

  validation {
    condition = anytrue([
      for domain in var.auth_oauth2_proxy_cookie_domains :
      var.auth_oauth2_proxy_host == trimprefix(domain, ".") || endswith(var.auth_oauth2_proxy_host, ".${trimprefix(domain, ".")}")
    ])
    error_message = "auth_oauth2_proxy_host must lie under one of auth_oauth2_proxy_cookie_domains: browsers drop the cookie of a login elsewhere."
  }
}

variable "auth_oauth2_proxy_cookie_domains" {
  description = "Domains that the session cookie is for; in an environment variable a JSON array of strings."
  type        = list(string)
  default     = [".example.com"]
  nullable    = false

  validation {
    condition     = alltrue([for domain in var.auth_oauth2_proxy_cookie_domains : can(regex("^\\.?${local.dns_name}$", domain))])
    error_message = "Each of auth_oauth2_proxy_cookie_domains must be a domain such as .example.com: no wildcard, scheme or port."
  }
}

variable "auth_oauth2_proxy_whitelist_domains" {
  description = "Domains that a login may return to; in an environment variable a JSON array of strings."
  type        = list(string)
  default     = ["*.example.com"]
  nullable    = false

  validation {
    condition = alltrue([
      for domain in var.auth_oauth2_proxy_whitelist_domains :
      can(regex("^(\\*\\.|\\.)?${local.dns_name}(:([0-9]{1,5}|\\*))?$", domain))
    ])
    error_message = "Each of auth_oauth2_proxy_whitelist_domains must be a host, .domain or *.domain, with :port or :* if need be; a * alone would send visitors anywhere."
  }
}

variable "auth_idp_domain" {
  description = "Tenant domain of the identity provider; its issuer is https://<domain>/."
  type        = string
  default     = "tenant.idp.example.com"
  nullable    = false

  validation {
    condition     = can(regex("^${local.dns_name}$", var.auth_idp_domain))
    error_message = "auth_idp_domain must be a host name such as tenant.idp.example.com, without https:// and slash."
  }
}

variable "auth_idp_client_id" {
  description = "Client id of the application at the identity provider; the proxy does not start without one."
  type        = string
  default     = ""
  nullable    = false
}

variable "auth_idp_client_secret" {
  description = "Client secret of the application at the identity provider."
  type        = string
  sensitive   = true
  nullable    = false

  validation {
    condition     = trimspace(var.auth_idp_client_secret) != ""
    error_message = "auth_idp_client_secret must not be blank."
  }
}

variable "auth_host_alias_ip" {
  description = "IP address that the proxy's pod uses for auth_host_alias_hostnames; empty for none."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition = (
      var.auth_host_alias_ip == "" ||
      can(cidrhost("${var.auth_host_alias_ip}/32", 0)) ||
      can(cidrhost("${var.auth_host_alias_ip}/128", 0))
    )
    error_message = "auth_host_alias_ip must be an IPv4 or IPv6 address, or empty."
  }
}

variable "auth_host_alias_hostnames" {
  description = "Host names for auth_host_alias_ip, separated by commas; empty for none."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = (trimspace(var.auth_host_alias_hostnames) == "") == (var.auth_host_alias_ip == "")
    error_message = "Set auth_host_alias_ip and auth_host_alias_hostnames together, or neither."
  }

  validation {
    condition = alltrue([
      for name in compact([for part in split(",", var.auth_host_alias_hostnames) : trimspace(part)]) :
      can(regex("^${local.dns_name}$", name))
    ])
    error_message = "auth_host_alias_hostnames must be host names separated by commas."
  }
}
