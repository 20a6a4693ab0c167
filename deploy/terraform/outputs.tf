output "stack_id" {
  description = "ID of the CloudFormation stack."
  value       = aws_cloudformation_stack.outrigger.id
}

output "webhook_url" {
  description = "Address of the webhook, up to the slash before the token: the value webhook.url of the chart."
  value       = split("TOKEN/", jsondecode(aws_cloudformation_stack.outrigger.outputs["Webhook"]).webhooks[0].clientConfig.url)[0]
}
