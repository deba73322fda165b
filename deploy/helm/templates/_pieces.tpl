{{- define "tradewind.labels" -}}
app.kubernetes.io/name: tradewind
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tradewind.secret" -}}
{{ .Values.existingSecret | default (printf "%s-databases" .Release.Name) }}
{{- end }}

{{- define "tradewind.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
env:
  - name: DATABASE_URL
    valueFrom: { secretKeyRef: { name: {{ include "tradewind.secret" . }}, key: DATABASE_URL } }
  - name: CACHE_URL
    valueFrom: { secretKeyRef: { name: {{ include "tradewind.secret" . }}, key: CACHE_URL } }
  - { name: WEB_ORIGIN, value: {{ .Values.webOrigin | quote }} }
  - { name: LIVE_DEMO, value: {{ ternary "1" "" .Values.liveDemo | quote }} }
  - { name: METRICS_PORT, value: {{ .Values.metrics.port | quote }} }
{{- range $name, $value := .Values.env }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}

{{- define "tradewind.pod" -}}
automountServiceAccountToken: false
{{- with .Values.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - { name: tmp, emptyDir: {} }
{{- if .Values.storage.enabled }}
  - { name: data, persistentVolumeClaim: { claimName: {{ .Release.Name }}-data } }
{{- else }}
  - { name: data, emptyDir: {} }
{{- end }}
# Several at once wait for each other; one that is older than the schema stops with a sentence.
initContainers:
  - name: migrate
    args: [migrate]
    {{- include "tradewind.container" . | nindent 4 }}
{{- end }}
