// Opens the collapsed box of a cell when a tile of the matrix links to it.
function unfold() {
  const target = document.getElementById(location.hash.slice(1));
  const box = target && target.closest("details");
  if (box) {
    box.open = true;
    target.scrollIntoView();
  }
}
addEventListener("hashchange", unfold);
unfold();
