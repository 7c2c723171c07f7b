// HTML as tagged templates: every value is escaped, so text that people typed stays text.
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

class Html {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

const render = (value) => {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === undefined || value === null || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
};

/** html`<p>${text}</p>`: arrays are joined, undefined and false leave nothing, other html`…` is taken as it is. */
export const html = (parts, ...values) => new Html(parts.map((part, index) => part + render(values[index])).join(''));
