resource "helm_release" "outrigger" {
  name      = "outrigger"
  namespace = "kube-system"
  chart     = "${coalesce(var.release_dir, "${path.module}/../../..")}/chart"

  values = [
    yamlencode({ cluster = var.cluster_name, mode = var.mode, webhook = { url = var.webhook_url } }),
    yamlencode(var.values),
  ]

  set_sensitive = [{ name = "webhook.token", value = var.webhook_token, type = "string" }]
}
