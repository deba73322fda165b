output "namespace" {
  description = "Namespace of the proxy."
  value       = kubernetes_namespace_v1.auth.metadata[0].name
}

output "auth_url" {
  description = "Public address of the proxy."
  value       = local.auth_url
}

output "callback_url" {
  description = "Allowed callback URL to enter at the identity provider."
  value       = "${local.auth_url}/oauth2/callback"
}

output "logout_url" {
  description = "Allowed logout URL to enter at the identity provider."
  value       = local.auth_url
}

output "ingress_annotations" {
  description = "Annotations that put a service's Ingress behind the proxy."
  value = {
    "${local.annotation}/auth-url"              = "${local.auth_url}/oauth2/auth"
    "${local.annotation}/auth-signin"           = "${local.auth_url}/oauth2/start?rd=$scheme://$host$escaped_request_uri"
    "${local.annotation}/auth-response-headers" = "X-Auth-Request-User,X-Auth-Request-Email,X-Auth-Request-Access-Token"
  }
}
