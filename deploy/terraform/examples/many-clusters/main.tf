terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

provider "aws" {
  region = "eu-west-1"
}

variable "clusters" {
  description = "Settings that differ, by name of the cluster; options as JSON, as their types differ."
  type = map(object({
    mode         = optional(string, "observe")
    size         = optional(string, "medium")
    options      = optional(string, "{}")
    token_hashes = list(string)
  }))
}

module "outrigger" {
  source   = "../.." # in a release: ./0.1.0/terraform
  for_each = var.clusters

  cluster_name         = each.key
  code_bucket          = "example-code"
  code_prefix          = "${each.key}/"
  mode                 = each.value.mode
  size                 = each.value.size
  options              = jsondecode(each.value.options)
  webhook_token_hashes = each.value.token_hashes
}

# Argo CD or Flux installs the chart in each cluster with its address.
output "webhook_urls" {
  description = "Addresses for the value webhook.url of the chart, by name of the cluster."
  value       = { for name, stack in module.outrigger : name => stack.webhook_url }
}
