resource "kubernetes_namespace_v1" "auth" {
  metadata {
    name = "auth"
  }
}

resource "random_bytes" "cookie_secret" {
  length = 32
}

resource "kubernetes_secret_v1" "credentials" {
  metadata {
    name      = local.secret_name
    namespace = kubernetes_namespace_v1.auth.metadata[0].name
  }

  type = "Opaque"
  data = {
    "client-id"     = var.auth_idp_client_id
    "client-secret" = var.auth_idp_client_secret
    "cookie-secret" = local.cookie_secret
  }
}

resource "helm_release" "oauth2_proxy" {
  name       = "oauth2-proxy"
  namespace  = kubernetes_namespace_v1.auth.metadata[0].name
  repository = "https://oauth2-proxy.github.io/manifests"
  chart      = "oauth2-proxy"
  version    = "10.7.0"

  atomic          = true
  cleanup_on_fail = true
  timeout         = 300

  # Two documents: a first plan shows the one that does not hang on the cookie secret.
  values = [
    yamlencode(local.chart_values),
    yamlencode({ podAnnotations = { "checksum/credentials" = local.credentials_digest } }),
  ]

  depends_on = [kubernetes_secret_v1.credentials]
}

check "client_id" {
  assert {
    condition     = var.auth_idp_client_id != ""
    error_message = "auth_idp_client_id is empty: the proxy will not start without the client id of an application."
  }
}
