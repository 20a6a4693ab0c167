terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
    helm = {
      source  = "hashicorp/helm"
      version = "~> 3.0"
    }
  }
}

provider "aws" {
  region = "eu-west-1"
}

data "aws_eks_cluster" "this" {
  name = "production"
}

provider "helm" {
  kubernetes = {
    host                   = data.aws_eks_cluster.this.endpoint
    cluster_ca_certificate = base64decode(data.aws_eks_cluster.this.certificate_authority[0].data)
    exec = {
      api_version = "client.authentication.k8s.io/v1beta1"
      command     = "aws"
      args        = ["eks", "get-token", "--cluster-name", data.aws_eks_cluster.this.name, "--region", "eu-west-1"]
    }
  }
}

# `outrigger token` prints it; TF_VAR_webhook_token keeps it out of files.
variable "webhook_token" {
  description = "Token of the webhook."
  type        = string
  sensitive   = true
}

module "outrigger" {
  source = "../.." # in a release: ./0.1.0/terraform

  cluster_name         = data.aws_eks_cluster.this.name
  code_bucket          = "example-code"
  webhook_token_hashes = [nonsensitive(sha256(var.webhook_token))]
  options              = { scaleDownUnneededTime = "15m" }
}

module "chart" {
  source = "../../modules/chart"

  cluster_name  = data.aws_eks_cluster.this.name
  webhook_url   = module.outrigger.webhook_url
  webhook_token = var.webhook_token
}
