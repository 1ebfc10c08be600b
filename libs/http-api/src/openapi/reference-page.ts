import type { OpenApiDocument } from './document-types';

/** Everything that would send a request to a host other than this one is off. */
const configuration = {
  servers: [{ url: '/' }],
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'apiKey' },
  customCss: 'td code { white-space: nowrap; }',
  // The samples of the document are shown instead.
  hiddenClients: true,
  modelsSectionLabel: 'Schemas',
};

/** Scripts and requests only to this host. Scalar adds its styles at run time, so inline styles are allowed. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The page of Scalar, with the document inside it: it loads nothing but the script. */
export function referencePage(document: OpenApiDocument, scriptUrl: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${document.info.title}</title>
  </head>
  <body>
    <noscript>
      This page needs JavaScript. The <a href="/api/v1/openapi.json">OpenAPI document</a> has the same content.
    </noscript>
    <script id="api-reference" type="application/json" data-configuration='${JSON.stringify(configuration)}'>
      ${JSON.stringify(document).replaceAll('<', '\\u003c')}
    </script>
    <script src="${scriptUrl}"></script>
  </body>
</html>
`;
}
