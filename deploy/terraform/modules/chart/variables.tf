variable "cluster_name" {
  description = "Name of the EKS cluster, as in the stack."
  type        = string
}

variable "release_dir" {
  description = "Folder of the release, with chart. By default that of this module, as in a release."
  type        = string
  default     = null
}

variable "mode" {
  description = "observe or act, as in the stack."
  type        = string
  default     = "observe"

  validation {
    condition     = contains(["observe", "act"], var.mode)
    error_message = "Must be observe or act."
  }
}

variable "webhook_url" {
  description = "The output webhook_url of the stack's module."
  type        = string
}

variable "webhook_token" {
  description = "The token whose hash the stack has. It is stored in the state, and in the cluster."
  type        = string
  sensitive   = true
}

variable "values" {
  description = "Further values of the chart, such as { flowSchema = true }: its values.yaml describes them."
  type        = any
  default     = {}
}
