/** The card details in the HTML of the page that shows them. */
export function shownDetails(html: string): { readonly number: string; readonly expiry: string; readonly cvc: string } {
  const [number, expiry, cvc] = [...html.matchAll(/<dd>([^<]*)<\/dd>/g)].map(([, text]) => text!.replaceAll(' ', ''));
  if (number === undefined || expiry === undefined || cvc === undefined) throw new Error(`No card details: ${html}`);
  return { number, expiry, cvc };
}
