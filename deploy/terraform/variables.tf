variable "cluster_name" {
  description = "Name of the EKS cluster, which is in the account and region of the AWS provider."
  type        = string

  validation {
    condition     = can(regex("^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$", var.cluster_name))
    error_message = "Must be the name of an EKS cluster: letters, digits, - and _, at most 100."
  }
}

variable "release_dir" {
  description = "Folder of the release, with template.json and functions. By default the folder that has this module, as in a release."
  type        = string
  default     = null
}

variable "code_bucket" {
  description = "Name of an existing bucket in the region of the cluster. The module copies the template and the code of the functions to it."
  type        = string
}

variable "code_prefix" {
  description = "Prefix of the keys in the bucket: empty, or with a slash at its end. Clusters that share a bucket need a prefix each."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^([A-Za-z0-9._/-]{1,200}/)?$", var.code_prefix))
    error_message = "Must be empty, or end with a slash."
  }
}

variable "mode" {
  description = "observe: decide and record, and change nothing. act: carry the decisions out."
  type        = string
  default     = "observe"

  validation {
    condition     = contains(["observe", "act"], var.mode)
    error_message = "Must be observe or act."
  }
}

variable "size" {
  description = "How large the cluster becomes: small up to about 300 nodes, medium up to 1500, large beyond."
  type        = string
  default     = "medium"

  validation {
    condition     = contains(["small", "medium", "large"], var.size)
    error_message = "Must be small, medium or large."
  }
}

variable "options" {
  description = "Scaling options under their names in camelCase, such as { scaleDownUnneededTime = \"5m\" }."
  type        = any
  default     = {}

  validation {
    condition     = can(keys(var.options)) && length(jsonencode(var.options)) <= 2800
    error_message = "Must be an object, and at most 2800 bytes as JSON."
  }
}

variable "webhook_endpoint" {
  description = "functionUrl, or httpApi where the account or the region has no function URLs."
  type        = string
  default     = "functionUrl"

  validation {
    condition     = contains(["functionUrl", "httpApi"], var.webhook_endpoint)
    error_message = "Must be functionUrl or httpApi."
  }
}

variable "webhook_token_hashes" {
  description = "Hashes of the tokens that the webhook accepts, as outrigger token prints them: one, or two while a token is being rotated."
  type        = list(string)

  validation {
    condition     = length(var.webhook_token_hashes) <= 2 && alltrue([for hash in var.webhook_token_hashes : can(regex("^[0-9a-f]{64}$", hash))])
    error_message = "Must be at most two hashes of 64 lower-case hexadecimal digits."
  }
}

variable "alarm_topic_arn" {
  description = "ARN of the SNS topic that alarms are sent to. Empty: none."
  type        = string
  default     = ""
}

variable "schedules_enabled" {
  description = "Whether the cluster is evaluated by schedule. Begin with false if the chart is installed minutes later or by hand."
  type        = bool
  default     = true
}

variable "tags" {
  description = "Tags of the stack, of its resources and of the objects in the bucket."
  type        = map(string)
  default     = {}
}
