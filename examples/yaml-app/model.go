package main

// Order is a row with a number for its key. A tag names the generator that fills the field before the row is
// created; a value that is set already stays.
type Order struct {
	ID       int64 `gorm:"primaryKey;autoIncrement:false" cosid:"order"`
	Customer string
	Items    []Item
}

// Item is created together with its order, and its ids are drawn together too.
type Item struct {
	ID      int64 `gorm:"primaryKey;autoIncrement:false" cosid:"item"`
	OrderID int64
	Name    string
}

// Bill has a text for its number: the period and the value of a grouped id, written by the generator's codec.
type Bill struct {
	No      string `gorm:"primaryKey" cosid:"bill"`
	OrderID int64
	Order   Order
}
