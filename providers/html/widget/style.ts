import { raw } from 'hono/html';
import { markup, type Markup } from '../markup.ts';

/**
 * The style of the widget, by its width and the console's theme: all names begin with `og-`, as the style is one of the page
 * that the dashboard is on.
 */
const STYLE = `
.og{--og-text:#16191f;--og-dim:#545b64;--og-line:#d5dbdb;--og-link:#0073bb;--og-alert:#b0200c;--og-mark:#fdf3f1;--og-bar:#aab7b8;--og-field:#fff;
--picture-empty:transparent;--picture-used:#2a9d4a;--picture-idle:#a8b1ba;--picture-unneeded:#d99a00;--picture-leaving:#d1342f;--picture-booting:#0a9ec1;--picture-moving:#2f6fde;--picture-waiting:#b4308a;
container-type:inline-size;color:var(--og-text);font:13px/1.45 "Amazon Ember",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
.og-dark{--og-text:#d1d5db;--og-dim:#95a5a6;--og-line:#414d5c;--og-link:#539fe5;--og-alert:#ff7a6b;--og-mark:#2f1d1b;--og-bar:#5f6b7a;--og-field:#1a222d;--picture-used:#3fb950;--picture-idle:#6b7682;--picture-unneeded:#e3b341;--picture-leaving:#f2645d;--picture-booting:#39c5e8}
.og *{box-sizing:border-box}
.og h3{margin:0 0 4px;font-size:14px;font-weight:700}
.og-section{margin:14px 0 0;padding:0}
.og-alert{border-left:3px solid var(--og-alert);background:var(--og-mark);padding:8px 10px}
.og-alert h3{color:var(--og-alert)}
.og-facts{display:grid;grid-template-columns:minmax(80px,max-content) 1fr;gap:2px 14px;margin:0}
.og-facts dt{color:var(--og-dim)}
.og-facts dd{margin:0}
.og-table{border-collapse:collapse;width:100%}
.og-table th{white-space:nowrap;color:var(--og-dim);font-weight:400;text-align:left;padding:2px 12px 2px 0;border-bottom:1px solid var(--og-line)}
.og-table td{vertical-align:top;padding:4px 12px 4px 0;border-bottom:1px solid var(--og-line)}
.og-number{white-space:nowrap}
.og-note{color:var(--og-dim)}
.og-link{color:var(--og-link);cursor:pointer;text-decoration:none}
.og-link:hover{text-decoration:underline}
.og-bar{display:inline-block;position:relative;width:90px;height:8px;border:1px solid var(--og-bar);border-radius:2px;vertical-align:middle;overflow:hidden}
.og-bar i{position:absolute;left:0;top:0;bottom:0;background:var(--og-bar)}
.og-find{display:flex;gap:8px;margin:0 0 12px}
.og-find input{flex:1;min-width:0;max-width:420px;padding:4px 8px;font:inherit;color:inherit;background:var(--og-field);border:1px solid var(--og-line);border-radius:2px}
.og-button{padding:4px 14px;border:1px solid var(--og-link);border-radius:2px;color:var(--og-link);cursor:pointer;text-decoration:none;white-space:nowrap}
.og .picture-group{margin:6px 0 2px;color:var(--og-dim)}
.og .picture-boxes{display:flex;flex-wrap:wrap;gap:2px}
.og .picture-boxes svg{display:block}
.og-pages{display:flex;gap:14px;margin-top:8px;color:var(--og-dim)}
@container (max-width:520px){.og-bar{display:none}.og-number{white-space:normal}.og-table td:first-child{min-width:3em}.og-facts{grid-template-columns:1fr}.og-facts dd{margin:0 0 4px}.og-table td,.og-table th{padding-right:8px}}
`;

export const style = (): Markup => markup`<style>${raw(STYLE.replaceAll('\n', ''))}</style>`;
