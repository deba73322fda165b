mock_provider "kubernetes" {}
mock_provider "helm" {}
mock_provider "random" {
  mock_resource "random_bytes" {
    # 32 bytes whose standard base64 is full of the two signs that the URL-safe alphabet does not know.
    defaults = { base64 = "+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/8=" }
  }
}

variables {
  auth_idp_client_id     = "client"
  auth_idp_client_secret = "s3cret"
}

run "creates_namespace_secret_and_release" {
  command = apply

  assert {
    condition     = kubernetes_namespace_v1.auth.metadata[0].name == "auth"
    error_message = "the namespace is not auth"
  }
  assert {
    condition = (
      kubernetes_secret_v1.credentials.metadata[0].namespace == "auth" &&
      toset(keys(kubernetes_secret_v1.credentials.data)) == toset(["client-id", "client-secret", "cookie-secret"])
    )
    error_message = "the secret holds other keys than the chart reads"
  }
  assert {
    condition     = kubernetes_secret_v1.credentials.data["cookie-secret"] == "-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_8="
    error_message = "the cookie secret is not in the URL-safe alphabet"
  }
  assert {
    condition     = yamldecode(helm_release.oauth2_proxy.values[0]).config.existingSecret == kubernetes_secret_v1.credentials.metadata[0].name
    error_message = "the chart reads another secret"
  }
  assert {
    condition     = !strcontains(join("", helm_release.oauth2_proxy.values), "s3cret")
    error_message = "the client secret stands in the values of the release"
  }
  assert {
    condition     = yamldecode(helm_release.oauth2_proxy.values[0]).ingress.className == "nginx" && yamldecode(helm_release.oauth2_proxy.values[0]).ingress.tls[0].hosts == ["auth.example.com"]
    error_message = "the ingress differs"
  }
  assert {
    condition     = !can(yamldecode(helm_release.oauth2_proxy.values[0]).hostAliases)
    error_message = "there is a host alias although none was asked for"
  }
}

run "warns_without_client_id" {
  command = plan
  variables {
    auth_idp_client_id = ""
  }
  expect_failures = [check.client_id]
}

run "serves_plain_http_when_tls_is_off" {
  command = plan
  variables {
    auth_ingress_enable_tls = false
  }
  assert {
    condition     = output.callback_url == "http://auth.example.com/oauth2/callback" && output.logout_url == "http://auth.example.com"
    error_message = "the addresses are not http"
  }
  assert {
    condition = (
      strcontains(yamldecode(helm_release.oauth2_proxy.values[0]).config.configFile, "cookie_secure = false") &&
      strcontains(yamldecode(helm_release.oauth2_proxy.values[0]).config.configFile, "cookie_name = \"_oauth2_proxy\"") &&
      !can(yamldecode(helm_release.oauth2_proxy.values[0]).ingress.tls)
    )
    error_message = "the cookie or the ingress still wants TLS"
  }
}

run "makes_a_host_alias_of_both_values" {
  command = plan
  variables {
    auth_host_alias_ip        = "10.0.0.9"
    auth_host_alias_hostnames = "idp.example.com, auth.example.com,"
  }
  assert {
    condition     = yamldecode(helm_release.oauth2_proxy.values[0]).hostAliases == [{ ip = "10.0.0.9", hostnames = ["idp.example.com", "auth.example.com"] }]
    error_message = "the host alias differs"
  }
}

run "leaves_out_the_monitor" {
  command = plan
  variables {
    prometheus_namespace = ""
  }
  assert {
    condition     = yamldecode(helm_release.oauth2_proxy.values[0]).metrics.serviceMonitor.enabled == false
    error_message = "there is a ServiceMonitor"
  }
}

run "refuses_a_star_as_whitelist" {
  command = plan
  variables {
    auth_oauth2_proxy_whitelist_domains = ["*"]
  }
  expect_failures = [var.auth_oauth2_proxy_whitelist_domains]
}

run "refuses_a_wildcard_cookie_domain" {
  command = plan
  variables {
    auth_oauth2_proxy_cookie_domains = [".example.com", "*.example.org"]
  }
  expect_failures = [var.auth_oauth2_proxy_cookie_domains]
}

run "refuses_a_url_as_idp_domain" {
  command = plan
  variables {
    auth_idp_domain = "https://tenant.idp.example.com/"
  }
  expect_failures = [var.auth_idp_domain]
}

run "refuses_a_template_as_host" {
  command = plan
  variables {
    auth_oauth2_proxy_host = "{{ .Release.Name }}.example.com"
  }
  expect_failures = [var.auth_oauth2_proxy_host]
}

run "refuses_a_host_outside_the_cookie_domains" {
  command = plan
  variables {
    auth_oauth2_proxy_host = "auth.example.org"
  }
  expect_failures = [var.auth_oauth2_proxy_host]
}

run "refuses_an_alias_without_names" {
  command = plan
  variables {
    auth_host_alias_ip = "10.0.0.9"
  }
  expect_failures = [var.auth_host_alias_hostnames]
}

run "refuses_an_alias_that_is_no_address" {
  command = plan
  variables {
    auth_host_alias_ip        = "10.0.0"
    auth_host_alias_hostnames = "idp.example.com"
  }
  expect_failures = [var.auth_host_alias_ip]
}

run "refuses_a_blank_client_secret" {
  command = plan
  variables {
    auth_idp_client_secret = " "
  }
  expect_failures = [var.auth_idp_client_secret]
}
