import type { OpenApiDocument, Operation } from './document-types';
import { html, prose, SafeHtml } from './html';
import { introduction } from './reference-introduction';
import { anchorOf, operationSection } from './reference-operation';
import { referenceStyle } from './reference-style';

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** The whole reference as one page that needs no script and loads nothing. */
export function referencePage(document: OpenApiDocument): string {
  const { title, version, description } = document.info;
  const groups = groupByTag(document);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} ${version}</title>
        <style>
          ${new SafeHtml(referenceStyle)}
        </style>
      </head>
      <body>
        <nav>
          <a href="#top"><b>${title}</b></a>
          <ul>
            ${introduction.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}
          </ul>
          ${groups.map(([tag, entries]) => navigation(tag, entries))}
        </nav>
        <main id="top">
          <h1>${title}</h1>
          <p>Version ${version} · <a href="/api/v1/openapi.json">OpenAPI document</a></p>
          <p>${prose(description)}</p>
          ${introduction.map(
            ({ id, heading, body }) =>
              html`<h2 id="${id}">${heading}</h2>
                ${body}`,
          )}
          ${groups.map(([tag, entries]) => group(document, tag, entries))}
        </main>
      </body>
    </html>`;
  return page.text;
}

function groupByTag({ paths, tags }: OpenApiDocument): [string, Entry[]][] {
  const entries = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  return tags.map(({ name }) => [name, entries.filter(({ operation }) => operation.tags.includes(name))]);
}

function navigation(tag: string, entries: readonly Entry[]): SafeHtml {
  const links = entries.map(
    ({ operation }) => html`<li><a href="#${anchorOf(operation)}">${operation.summary}</a></li>`,
  );
  return html`<h2>${tag}</h2>
    <ul>
      ${links}
    </ul>`;
}

function group(document: OpenApiDocument, tag: string, entries: readonly Entry[]): SafeHtml {
  const sections = entries.map(({ path, method, operation }) => operationSection(document, path, method, operation));
  return html`<section>
    <h2>${tag}</h2>
    ${sections}
  </section>`;
}
