{{- /* Gives the ClusterRole of this name to the group of this name. */ -}}
{{- define "outrigger.binding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ . }}
  labels:
    app.kubernetes.io/managed-by: outrigger
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ . }}
subjects:
  - apiGroup: rbac.authorization.k8s.io
    kind: Group
    name: {{ . }}
{{- end }}

{{- /* The token of the webhook, from the values or from a Secret. */ -}}
{{- define "outrigger.token" -}}
{{- $name := .Values.webhook.existingSecret.name }}
{{- if and $name .Values.webhook.token }}
{{- fail "webhook.token and webhook.existingSecret are given: leave one of them out" }}
{{- else if $name }}
{{- $key := .Values.webhook.existingSecret.key }}
{{- $secret := lookup "v1" "Secret" .Release.Namespace $name }}
{{- $text := "webhook.existingSecret: the Secret %s/%s with the key %s cannot be read. Create it before; helm template and Argo CD read no Secrets: give webhook.token" }}
{{- get (default dict $secret.data) $key | required (printf $text .Release.Namespace $name $key) | b64dec | trim }}
{{- else }}
{{- required "webhook.token is required: the token that npx outrigger token has printed, or webhook.existingSecret" .Values.webhook.token }}
{{- end }}
{{- end }}
