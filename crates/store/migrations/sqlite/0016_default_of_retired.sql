-- Retiring the default version leaves its API without one, unless another one is named. Until now a
-- retired version stayed the default.

update versions set is_default = 0 where state = 'retired';
