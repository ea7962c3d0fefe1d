{{- define "sandboxer.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* What selects the platform's pods; policies of sandboxes let pods with the first label in. */}}
{{- define "sandboxer.selector" -}}
app.kubernetes.io/name: sandboxer
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sandboxer.labels" -}}
{{ include "sandboxer.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "sandboxer.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end -}}

{{- define "sandboxer.keys" -}}
{{ .Values.keysSecret | default (printf "%s-keys" (include "sandboxer.name" .)) }}
{{- end -}}

{{- define "sandboxer.scheme" -}}
{{ ternary "https" "http" (ne .Values.tls.secretName "") }}
{{- end -}}
