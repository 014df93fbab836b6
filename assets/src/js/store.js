// A few words kept in this browser. Where storage is refused (private windows), things work and are forgotten.
export function recall(name) {
  try {
    return localStorage.getItem(`headroom.${name}`);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`headroom.${name}`);
    else localStorage.setItem(`headroom.${name}`, value);
    return true;
  } catch {
    return false;
  }
}

export function token() {
  const field = document.querySelector("input[name=csrfmiddlewaretoken]");
  if (field) return field.value;
  return JSON.parse(document.body.getAttribute("hx-headers") || "{}")["X-CSRFToken"] ?? "";
}
