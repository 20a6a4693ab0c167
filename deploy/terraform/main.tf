locals {
  release  = coalesce(var.release_dir, "${path.module}/..")
  template = "${local.release}/template.json"
}

data "aws_s3_bucket" "code" {
  bucket = var.code_bucket
}

resource "aws_s3_object" "code" {
  # The names are hashes of the content: code of another release has other keys.
  for_each = fileset("${local.release}/functions", "*.zip")

  bucket = var.code_bucket
  key    = "${var.code_prefix}${each.value}"
  source = "${local.release}/functions/${each.value}"
  tags   = var.tags

  # The code of the release before goes after the update of the stack, which may roll back to it.
  lifecycle {
    create_before_destroy = true
  }
}

# The template is larger than a request to CloudFormation may be. Its key has its hash, so that a new one updates the stack.
resource "aws_s3_object" "template" {
  bucket = var.code_bucket
  key    = "${var.code_prefix}template-${filesha256(local.template)}.json"
  source = local.template
  tags   = var.tags

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_cloudformation_stack" "outrigger" {
  # The commands of Outrigger look for this name.
  name         = "Outrigger-${replace(var.cluster_name, "_", "-")}"
  template_url = "https://${data.aws_s3_bucket.code.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_IAM"]
  tags         = var.tags

  parameters = {
    ClusterName        = var.cluster_name
    CodeBucket         = var.code_bucket
    CodePrefix         = var.code_prefix
    Mode               = var.mode
    Size               = var.size
    Options            = jsonencode(var.options)
    WebhookEndpoint    = var.webhook_endpoint
    WebhookTokenHashes = join(",", var.webhook_token_hashes)
    AlarmTopicArn      = var.alarm_topic_arn
    Schedules          = var.schedules_enabled ? "ENABLED" : "DISABLED"
  }

  depends_on = [aws_s3_object.code]
}
