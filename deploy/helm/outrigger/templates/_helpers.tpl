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
