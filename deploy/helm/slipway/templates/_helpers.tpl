{{- define "slipway.name" -}}
{{- if contains "slipway" .Release.Name }}{{ .Release.Name | trunc 43 | trimSuffix "-" }}{{ else }}{{ printf "%s-slipway" .Release.Name | trunc 43 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "slipway.selector" -}}
app.kubernetes.io/name: slipway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "slipway.labels" -}}
{{ include "slipway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "slipway.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "slipway.host" -}}
{{- (urlParse .Values.publicUrl).host | regexFind "^[^:]+" }}
{{- end }}

{{- define "slipway.claim" -}}
{{- .Values.persistence.existingClaim | default (printf "%s-data" (include "slipway.name" .)) }}
{{- end }}

{{/* Not empty if several pods can use the volume. */}}
{{- define "slipway.isShared" -}}
{{- $modes := list .Values.persistence.accessMode }}
{{- if .Values.persistence.existingClaim }}
{{- $claim := lookup "v1" "PersistentVolumeClaim" .Release.Namespace .Values.persistence.existingClaim }}
{{- if $claim }}{{ $modes = $claim.spec.accessModes }}{{ end }}
{{- end }}
{{- if has "ReadWriteMany" $modes }}yes{{ end }}
{{- end }}

{{/* Refuses what the schema cannot express. */}}
{{- define "slipway.check" -}}
{{- $own := list "PORT" "HOST" "DATABASE_URL" "SLIPWAY_DATA" "SLIPWAY_PUBLIC_URL" "SLIPWAY_INGRESS_PORT" "SLIPWAY_MODE" "SLIPWAY_RUNTIME" "SLIPWAY_KUBERNETES_POD" "SLIPWAY_ALLOW_FILE_KEYS" "SLIPWAY_ALLOW_HOST_RUNTIME" }}
{{- range $name, $_ := .Values.settings }}
{{- if has $name $own }}{{ fail (printf "settings.%s: the chart sets this variable itself" $name) }}{{ end }}
{{- end }}
{{- if not (or (get .Values.settings "SLIPWAY_LOCAL_USERS") (get .Values.settings "SLIPWAY_OIDC_AUTHORITY")) }}
{{- fail "settings needs SLIPWAY_OIDC_AUTHORITY with its client id, or SLIPWAY_LOCAL_USERS: password. Production refuses the demo people" }}
{{- end }}
{{- $isShared := include "slipway.isShared" . }}
{{- if and (gt (int .Values.replicas) 1) (not $isShared) }}
{{- fail "replicas: more than one replica needs a volume with the access mode ReadWriteMany, because repositories, images, keys and logs are files on it. Use such a volume, or replicas: 1" }}
{{- end }}
{{- if and .Values.backup.enabled (not $isShared) }}
{{- fail "backup.enabled: the backup reads the volume beside the replicas, so it needs the access mode ReadWriteMany" }}
{{- end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}{{ fail "httpRoute.parentRefs: name a Gateway" }}{{ end }}
{{- end }}

{{- define "slipway.env" -}}
- name: PORT
  value: '4000'
- name: HOST
  value: 0.0.0.0
- name: SLIPWAY_INGRESS_PORT
  value: '4080'
- name: SLIPWAY_PUBLIC_URL
  value: {{ .Values.publicUrl | trimSuffix "/" | quote }}
- name: SLIPWAY_DATA
  value: /data/slipway
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.database.existingSecret }}, key: {{ .Values.database.key }} }
- name: SLIPWAY_MODE
  value: production
- name: SLIPWAY_RUNTIME
  value: kubernetes
{{- if not (hasKey .Values.settings "SLIPWAY_KUBERNETES_EDGE_SOURCES") }}
- name: SLIPWAY_KUBERNETES_EDGE_SOURCES
  value: namespace:{{ .Release.Namespace }}
{{- end }}
# There is no other key adapter.
- name: SLIPWAY_ALLOW_FILE_KEYS
  value: 'yes'
# Services run in pods of their own. Builds that run commands stay refused, because this pod has no sandbox.
- name: SLIPWAY_ALLOW_HOST_RUNTIME
  value: 'yes'
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "slipway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "slipway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
