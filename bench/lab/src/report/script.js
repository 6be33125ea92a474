// A tile of the matrix leads to its cell: open the box that it is folded in.
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
