/** How a program sends traces. The SDKs read the endpoint, the token and the name of the service from the environment. */
export const snippets = [
  {
    language: 'Node.js',
    code: `npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node
node --require @opentelemetry/auto-instrumentations-node/register server.js`,
  },
  {
    language: 'Python',
    code: `pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http
opentelemetry-bootstrap -a install
opentelemetry-instrument python server.py`,
  },
];
