//! The product from outside, over real sockets: each test starts the real binary on data of its
//! own. One program for all of them, so that it is linked once.

mod call;
mod change;
mod crash;
mod example;
mod house;
mod limits;
mod start;
mod trouble;
mod usage;
