locals {
  secret_name = "oauth2-proxy-credentials"
  scheme      = var.auth_ingress_enable_tls ? "https" : "http"
  auth_url    = "${local.scheme}://${var.auth_oauth2_proxy_host}"
  annotation  = "nginx.ingress.kubernetes.io"

  # random_bytes speaks the standard alphabet, the proxy reads the URL-safe one and takes other text for a key of 44 bytes.
  cookie_secret = replace(replace(random_bytes.cookie_secret.base64, "+", "-"), "/", "_")

  # Pods read the credentials when they start: another digest starts them anew. The random cookie secret hides the others.
  credentials_digest = nonsensitive(sha256(join("\n", [
    var.auth_idp_client_id, var.auth_idp_client_secret, local.cookie_secret,
  ])))

  host_alias_hostnames = compact([for name in split(",", var.auth_host_alias_hostnames) : trimspace(name)])

  proxy_config = {
    provider                 = "oidc"
    oidc_issuer_url          = "https://${var.auth_idp_domain}/"
    redirect_url             = "${local.auth_url}/oauth2/callback"
    scope                    = "openid email profile"
    code_challenge_method    = "S256"
    insecure_oidc_skip_nonce = false
    skip_provider_button     = true
    email_domains            = ["*"]

    cookie_name       = var.auth_ingress_enable_tls ? "__Secure-oauth2_proxy" : "_oauth2_proxy"
    cookie_secure     = var.auth_ingress_enable_tls
    cookie_httponly   = true
    cookie_samesite   = "lax"
    cookie_domains    = var.auth_oauth2_proxy_cookie_domains
    whitelist_domains = var.auth_oauth2_proxy_whitelist_domains

    # One login per tab: with a shared one the first of two tabs fails at its callback.
    cookie_csrf_per_request = true
    cookie_csrf_expire      = "5m"

    reverse_proxy         = true
    real_client_ip_header = "X-Real-IP"
    set_xauthrequest      = true
    pass_access_token     = true
    upstreams             = ["static://202"]
    silence_ping_logging  = true
  }

  # Texts, booleans and arrays of texts are written alike in TOML and JSON.
  proxy_config_file = join("", [for key, value in local.proxy_config : "${key} = ${jsonencode(value)}\n"])

  chart_values = merge(
    {
      config             = { existingSecret = local.secret_name, configFile = local.proxy_config_file }
      enableServiceLinks = false
      serviceAccount     = { automountServiceAccountToken = false }
      metrics = {
        enabled        = true
        serviceMonitor = { enabled = var.prometheus_namespace != "", namespace = var.prometheus_namespace }
      }
      ingress = merge(
        {
          enabled   = true
          className = var.auth_ingress_class_name
          hosts     = [var.auth_oauth2_proxy_host]
          path      = "/"
          pathType  = "Prefix"
          # The callback's cookies do not fit the controller's 4k, which would answer 502.
          annotations = { "${local.annotation}/proxy-buffer-size" = "16k" }
        },
        var.auth_ingress_enable_tls ? {
          tls = [{ secretName = "oauth2-proxy-tls", hosts = [var.auth_oauth2_proxy_host] }]
        } : {},
      )
    },
    length(local.host_alias_hostnames) == 0 ? {} : {
      hostAliases = [{ ip = var.auth_host_alias_ip, hostnames = local.host_alias_hostnames }]
    },
  )
}
